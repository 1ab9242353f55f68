/** Reads what all sheets of an XLSX share: their names, the shared texts and the formats of numbers (ECMA-376 part 1, 18). */
import { MAX_CHARACTERS } from '../../kinds.ts';
import { mainPart, type OfficePackage, partOf } from '../package.ts';
import { attribute, isOn, numberIn, prefixedAttribute } from '../xml.ts';
import { type ShownAs, shownAs } from './number-format.ts';
import { textOf } from './text-of.ts';

interface SheetPart {
  readonly name: string;
  readonly path: string;
}

export interface Workbook {
  readonly sheets: readonly SheetPart[];
  /** If true, days are counted from 1904, not from 1900. */
  readonly is1904: boolean;
  /** Returns null when the texts have more characters than a document may have. */
  readonly texts: readonly string[] | null;
  /** These say how the numbers of cells with each style are shown. */
  readonly formats: readonly ShownAs[];
  readonly persons: ReadonlyMap<string, string>;
}

/** Throws a SourceError 'skip' when the workbook is missing or broken. */
export function readWorkbook(document: OfficePackage): Workbook {
  const main = mainPart(document, 'xl/workbook.xml');
  const relations = document.relations(main);
  const targets = new Map(relations.map(({ id, target }) => [id, target]));
  const sheets = new Map<string, SheetPart>();
  let is1904 = false;
  document.read(main, {
    open(name, attributes) {
      if (name === 'workbookPr') is1904 = isOn(attribute(attributes, 'date1904') ?? '0');
      if (name !== 'sheet') return undefined;
      const path = targets.get(prefixedAttribute(attributes, 'id') ?? '');
      // A sheet is read once, however often it is named.
      if (path !== undefined && !sheets.has(path))
        sheets.set(path, { name: attribute(attributes, 'name') ?? '', path });
      return undefined;
    },
  });
  return {
    sheets: [...sheets.values()],
    is1904,
    texts: readTexts(document, partOf(relations, 'sharedStrings')),
    formats: readFormats(document, partOf(relations, 'styles')),
    persons: readPersons(document, partOf(relations, 'person')),
  };
}

function readTexts(document: OfficePackage, path: string | undefined): string[] | null {
  const texts: string[] = [];
  let text = '';
  let inText = false;
  let characters = 0;
  const closeItem = () => {
    texts.push(textOf(text));
    characters += text.length + 1;
  };
  const closeText = () => {
    inText = false;
  };
  document.read(path, {
    open(name) {
      switch (name) {
        case 'si':
          text = '';
          return closeItem;
        case 't':
          inText = true;
          return closeText;
        default:
          // This is the reading of a Japanese word.
          return name === 'rPh' ? 'skip' : undefined;
      }
    },
    text(data) {
      if (inText) text += data;
    },
    isDone: () => characters > MAX_CHARACTERS,
  });
  return characters > MAX_CHARACTERS ? null : texts;
}

function readFormats(document: OfficePackage, path: string | undefined): ShownAs[] {
  const codes = new Map<number, string>();
  const known = new Map<number, ShownAs>();
  const formats: ShownAs[] = [];
  let inCells = false;
  function formatOf(id: number): ShownAs {
    const found = known.get(id) ?? shownAs(id, codes.get(id));
    known.set(id, found);
    return found;
  }
  document.read(path, {
    open(name, attributes) {
      const id = () => numberIn(attribute(attributes, 'numFmtId'), 1_000_000) ?? 0;
      if (name === 'numFmt') codes.set(id(), attribute(attributes, 'formatCode') ?? '');
      else if (name === 'xf' && inCells) formats.push(formatOf(id()));
      else if (name === 'dxfs') return 'skip';
      if (name !== 'cellXfs') return undefined;
      inCells = true;
      return () => {
        inCells = false;
      };
    },
  });
  return formats;
}

function readPersons(document: OfficePackage, path: string | undefined): Map<string, string> {
  const persons = new Map<string, string>();
  document.read(path, {
    open(name, attributes) {
      if (name === 'person')
        persons.set(attribute(attributes, 'id') ?? '', attribute(attributes, 'displayName') ?? '');
      return undefined;
    },
  });
  return persons;
}
