/** The mark of Quarry: three layers of stone. */
export function Logo() {
  return (
    <svg className="logo" viewBox="0 0 24 24" aria-hidden="true">
      <path fill="currentColor" d="M12 2 2.5 7l9.5 5 9.5-5z" />
      <path fill="currentColor" opacity=".72" d="m2.5 11.2 3-1.6L12 13l6.5-3.4 3 1.6L12 16.2z" />
      <path fill="currentColor" opacity=".45" d="m2.5 15.4 3-1.6L12 17.2l6.5-3.4 3 1.6L12 20.4z" />
    </svg>
  );
}
