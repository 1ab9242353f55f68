import type { ReactNode } from 'react';
import type { Pages } from '../lib/pages.ts';
import { MoreButton, Paged, useReadAhead } from './paged.tsx';
import { Scroller } from './scroller.tsx';
import { useVirtualRows } from './use-virtual-rows.ts';

interface Column {
  readonly title: string;
  readonly isNumber?: boolean;
}

interface PagedTableProps<Item> {
  readonly pages: Pages<Item>;
  readonly what: string;
  readonly empty: ReactNode;
  readonly columns: readonly Column[];
  readonly cells: (item: Item) => readonly ReactNode[];
  readonly keyOf: (item: Item) => string;
  /** Returns the content below the row of the item, or nothing. */
  readonly details?: (item: Item) => ReactNode;
}

const ROW_PX = 45;

/** A table of any length, which is read page by page while somebody scrolls, or presses the button below it. */
export const PagedTable = <Item,>(props: PagedTableProps<Item>) => (
  <Paged pages={props.pages} what={props.what} empty={props.empty}>
    {() => (
      <>
        <Scroller>
          <Table {...props} />
        </Scroller>
        <MoreButton pages={props.pages} />
      </>
    )}
  </Paged>
);

/** Each item is a group of rows, so that the height of its details counts, too. */
function Table<Item>({ pages, columns, cells, keyOf, details }: PagedTableProps<Item>) {
  const { items, total } = pages;
  const { container, parts, rowProps } = useVirtualRows<HTMLTableElement>({
    count: items.length,
    heightPx: ROW_PX,
  });
  useReadAhead(pages, parts);
  return (
    // A total of -1 says that nobody knows how many there are.
    <table
      ref={container}
      className="groups stacked"
      aria-rowcount={total === null ? -1 : total + 1}
    >
      <thead>
        <tr aria-rowindex={1}>
          {columns.map(({ title, isNumber }) => (
            <th key={title} className={isNumber ? 'num' : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      {parts.map((part) => {
        if ('height' in part)
          return (
            <tbody key={part.key} aria-hidden="true">
              <tr className="gap">
                <td colSpan={columns.length} style={{ height: part.height }} />
              </tr>
            </tbody>
          );
        const { index } = part;
        const item = items[index] as Item;
        const more = details?.(item);
        return (
          <tbody key={keyOf(item)} {...rowProps(index)}>
            <tr aria-rowindex={index + 2}>
              {cells(item).map((cell, i) => {
                const column = columns[i];
                return (
                  <td
                    key={column?.title}
                    className={column?.isNumber ? 'num' : undefined}
                    data-label={column?.title}
                  >
                    {cell}
                  </td>
                );
              })}
            </tr>
            {more && (
              <tr>
                <td colSpan={columns.length}>{more}</td>
              </tr>
            )}
          </tbody>
        );
      })}
    </table>
  );
}
