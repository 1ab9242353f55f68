/** Writes small PDF files: pages of lines in Helvetica. */

export function pdfFile(pages: readonly (readonly string[])[]): Buffer {
  const kids = pages.map((_, i) => `${4 + 2 * i} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ...pages.flatMap((lines, i) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + 2 * i} 0 R ` +
        '/Resources << /Font << /F1 3 0 R >> >> >>',
      stream(content(lines)),
    ]),
  ];
  return assemble(objects);
}

/** The same, which asks for a password. */
export function encryptedPdf(): Buffer {
  const plain = pdfFile([['secret']]).toString('latin1');
  const password = 'A'.repeat(64);
  const encrypt = `/Encrypt << /Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O <${password}> /U <${password}> >>`;
  return Buffer.from(
    plain.replace('/Root 1 0 R', `/Root 1 0 R /ID [<00> <00>] ${encrypt}`),
    'latin1',
  );
}

const content = (lines: readonly string[]) =>
  `BT /F1 12 Tf 72 720 Td 16 TL ${lines
    .map((line) => `(${line.replaceAll(/[\\()]/g, '\\$&')}) Tj T*`)
    .join(' ')} ET`;

const stream = (text: string) =>
  `<< /Length ${Buffer.byteLength(text, 'latin1')} >>\nstream\n${text}\nendstream`;

function assemble(objects: readonly string[]): Buffer {
  let text = '%PDF-1.4\n';
  const offsets: number[] = [];
  objects.forEach((object, i) => {
    offsets.push(text.length);
    text += `${i + 1} 0 obj\n${object}\nendobj\n`;
  });
  const xref = text.length;
  const entries = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`;
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${xref}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}
