/** Recognizes formats by the beginning of a file, in which the ASCII characters are right (`asciiHeadOf`). */

/** Returns true for a notebook of Jupyter, whose cells may be in worksheets (nbformat 3). */
export const isNotebook = (start: string): boolean =>
  start.startsWith('{') &&
  /"(?:cells|worksheets)"\s*:\s*\[/.test(start) &&
  /"cell_type"\s*:\s*"(?:code|markdown|raw|heading)"/.test(start);

/**
 * Only files with these extensions are checked for XML formats. In a file with another extension, such as .md, a
 * drawing may be only the beginning of a text.
 */
const XML_NAMES = new Set(['', '.xml']);
const PROLOGUE_CHARACTERS = 4096;

/**
 * Returns the name of the root element of an XML file in lower case, which comes after declarations and comments, or
 * null for a file that is not XML.
 */
export function rootOf(start: string, extension: string): string | null {
  if (!start.startsWith('<?xml') && !(start.startsWith('<') && XML_NAMES.has(extension)))
    return null;
  const elements = start
    .slice(0, PROLOGUE_CHARACTERS)
    .replaceAll(/<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<![A-Za-z][^>[]*(?:\[[^\]]*\])?[^>[]*>/g, '');
  return /^\s*<([\w:.-]+)/.exec(elements)?.[1]?.toLowerCase() ?? null;
}

const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

/** Files with these root elements are read whatever their name is. */
const READ_ROOTS = words('rss feed rdf:rdf opml xliff tmx gpx kml fictionbook en-export');
/** These are root elements of texts: FictionBook, DocBook, TEI, JATS, DITA. */
export const TEXT_ROOTS = words(
  'fictionbook article book chapter sect1 refentry tei tei.2 topic concept task reference dita',
);

/**
 * The files of programs with these root elements stay as they are: people search them by their tags. Others are
 * recognized by a namespace below.
 */
const CONFIGURATION_ROOTS = words(`
  application assembly beans blueprint cfg component components config configuration configurations context
  databasechangelog definitions dependencies extension faces-config feature fxml grammar hibernate-configuration
  hibernate-mapping idea-plugin interface ivy-module jasperreport log4j:configuration manifest mapper merge module
  modulemap package packages packagemanifest page persistence phpunit plist plugin policies preferences preferencescreen
  profiles project properties resources root ruleset runsettings schema selector server settings shape sqlmap stylesheet
  suite target tomcat-users tool transform usercontrol vector web-app window wsdl:definitions xs:schema xsd:schema
  xsl:stylesheet xsl:transform urlset sitemapindex`);
const CONFIGURATION_NAMESPACE =
  /\bxmlns(?::\w{1,30})?\s{0,9}=\s{0,9}["'](?:https?:\/\/|urn:)(?:schemas\.(?:android|microsoft)\.com\/|maven\.apache\.org\/|ant\.apache\.org\/|www\.springframework\.org\/|xmlns\.jcp\.org\/|java\.sun\.com\/|jakarta\.ee\/|www\.w3\.org\/(?:1999\/XSL|2001\/XMLSchema["'])|logging\.apache\.org\/|schemas-microsoft-com:)/;

/** These formats are other kinds, or are not read (`not-read.ts`). */
const OTHER_ROOTS = words(`
  bpmn:definitions bpmn2:definitions collada graphml html mxfile mxgraphmodel office:document pkg:package svg
  trainingcenterdatabase w:worddocument workbook`);

/** `beginning` has the first bytes of the file. */
export function isReadableXml(beginning: string, extension: string): boolean {
  const start = beginning.trimStart();
  const root = rootOf(start, extension);
  if (root === null) return false;
  if (READ_ROOTS.has(root)) return true;
  if (!XML_NAMES.has(extension) || OTHER_ROOTS.has(root)) return false;
  if (TEXT_ROOTS.has(root)) return true;
  return (
    extension === '.xml' && !CONFIGURATION_ROOTS.has(root) && !CONFIGURATION_NAMESPACE.test(start)
  );
}

/** Returns true for a drawing in SVG, whatever its name is. */
export const isSvg = (beginning: string, extension: string): boolean =>
  rootOf(beginning.trimStart(), extension) === 'svg';
