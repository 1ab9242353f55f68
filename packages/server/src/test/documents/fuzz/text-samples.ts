/** These are small documents in the formats that are text. */

export const HTML = `<!doctype html><html lang="en"><head><title>Bridges</title><meta name="author" content="Ann"></head>
<body><nav>no</nav><h1>Bridges &amp; roads</h1><p>They <b>last</b> &#8211; <a href="/a">long</a>.<br>Yes.</p>
<ul><li>One<ol start="3"><li>Inner</li></ol></li></ul><blockquote><p>Quote</p></blockquote><pre><code class="language-ts">let x;</code></pre>
<table><tr><th colspan="2">Year</th></tr><tr><td rowspan="2">1765</td><td>12</td></tr></table><dl><dt>T</dt><dd>D</dd></dl></body></html>`;

export const CALENDAR = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'X-WR-CALNAME:Team\\, North',
  'BEGIN:VTIMEZONE',
  'TZID:Europe/Berlin',
  'END:VTIMEZONE',
  'BEGIN:VEVENT',
  'UID:1',
  'DTSTART;TZID=Europe/Berlin:20250303T090000',
  'DTEND;TZID=Europe/Berlin:20250303T100000',
  'SUMMARY:Weekly\\, with a very long ti',
  ' tle',
  'ORGANIZER;CN=Ann Miller:mailto:ann@example.org',
  'ATTENDEE;CN="Smith, Ben";PARTSTAT=ACCEPTED:mailto:ben@example.org',
  'RRULE:FREQ=WEEKLY;BYDAY=MO;UNTIL=20260101T000000Z;INTERVAL=2',
  'EXDATE;TZID=Europe/Berlin:20250310T090000',
  'DESCRIPTION:The plan:\\n# first\\n- second',
  'BEGIN:VALARM',
  'TRIGGER:-PT15M',
  'END:VALARM',
  'END:VEVENT',
  'BEGIN:VTODO',
  'DUE;VALUE=DATE:20250401',
  'DURATION:P1DT2H',
  'SUMMARY:Buy bread',
  'STATUS:COMPLETED',
  'END:VTODO',
  'BEGIN:VFREEBUSY',
  'FREEBUSY:20250303T090000Z/PT1H',
  'END:VFREEBUSY',
  'END:VCALENDAR',
  '',
].join('\r\n');

export const CONTACTS = [
  'BEGIN:VCARD',
  'VERSION:3.0',
  'N:Miller;Ann;Maria;Dr.;',
  'FN:Dr. Ann Miller',
  'ORG:Example Ltd.;Bridges\\; roads',
  'item1.EMAIL;TYPE=INTERNET,WORK:ann@example.org',
  'TEL;TYPE=cell;TYPE=voice:+49 30 1234',
  'ADR;TYPE=home:;;1 Bridge Street;Berlin;;10115;Germany',
  'BDAY:1980-01-02',
  'NOTE:Met in May.\\n# Likes bridges',
  'PHOTO;ENCODING=b;TYPE=JPEG:/9j4/9j4',
  ' /9j4',
  'END:VCARD',
  'BEGIN:VCARD',
  'VERSION:2.1',
  'N;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:M=FCller;Ben=',
  'jamin',
  'TEL;HOME;VOICE:030 1',
  'END:VCARD',
  '',
].join('\r\n');

export const NOTEBOOK = JSON.stringify({
  cells: [
    { cell_type: 'markdown', source: ['# Herons\n', 'They *wait*.'] },
    {
      cell_type: 'code',
      source: 'x = 1',
      outputs: [
        { output_type: 'stream', name: 'stdout', text: ['\x1b[31mred\x1b[0m\n', 'two\n'] },
        {
          output_type: 'execute_result',
          data: { 'text/html': ['<table><tr><th>a</th></tr></table>'], 'text/plain': '42' },
        },
        { output_type: 'error', ename: 'KeyError', evalue: "'a'", traceback: ['long'] },
      ],
    },
    { cell_type: 'raw', source: 'raw' },
  ],
  metadata: {
    kernelspec: { language: 'Python', name: 'python3' },
    title: 'Birds',
    authors: [{ name: 'Ann' }],
  },
  nbformat: 4,
});

export const SUBRIP =
  '1\r\n00:00:01,000 --> 00:00:04,000\r\nThe heron <i>waits</i>\r\nat the weir.\r\n\r\n' +
  '2\r\n00:00:05,500 --> 00:00:08,000 X1:10\r\n{\\an8}It is <b>grey</b> &amp; tall.\r\n\r\n' +
  '3\r\n00:12:04,000 --> 00:12:06,000\r\nIt flies.\r\n';

export const WEBVTT =
  'WEBVTT - Talk\nKind: captions\nLanguage: en-GB\n\nSTYLE\n::cue { color: red }\n\nNOTE a comment\n\n' +
  'intro\n00:01.000 --> 00:04.000 align:start position:0%\n<v.loud Ann Lee>Who <c.yellow>waits</c>?</v>\n\n' +
  '00:05.000 --> 00:06.000\n<v Ann Lee>Tell me.\n<v Ben>The <00:05.500>heron.\n';

export const DRAWING =
  '<svg xmlns="http://www.w3.org/2000/svg"><title>Plan</title><style>a{}</style><g><text x="1">The <tspan>her</tspan>on<tspan x="2">waits</tspan></text>' +
  '<desc># grey &amp; tall</desc><foreignObject><p>one</p><p>two</p></foreignObject><text><textPath href="#p">round</textPath></text></g></svg>';

/** These are the families of XML that the converter knows, by an extension of each. */
export const XML: Readonly<Record<string, string>> = {
  rss: '<?xml version="1.0"?><rss version="2.0" xmlns:content="c"><channel><title>Birds &amp; more</title><link>https://b.org</link><language>en-gb</language><item><title>Heron</title><link>https://b.org/1</link><pubDate>Mon, 03 Mar 2025 10:00:00 GMT</pubDate><category>grey</category><content:encoded><![CDATA[<h1>Big</h1><p>It waits.</p>]]></content:encoded></item></channel></rss>',
  atom: '<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><author><name>Ann</name></author><entry><title type="html">A &amp;lt; B</title><link href="https://e.org/1"/><updated>2024-05-06T07:08:09Z</updated><content type="xhtml"><div><p>One</p></div></content></entry></feed>',
  opml: '<opml version="2.0"><head><title>T</title></head><body><outline text="One"><outline text="Inner" xmlUrl="https://e.org"/></outline></body></opml>',
  xlf: '<xliff version="1.2"><file source-language="en" target-language="de"><body><trans-unit id="1"><source>Bridge</source><target>Brücke</target></trans-unit></body></file></xliff>',
  tmx: '<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>Bridge</seg></tuv><tuv xml:lang="de"><seg>Brücke</seg></tuv></tu></body></tmx>',
  kml: '<kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>Trip</name><Placemark><name>Weir</name><description>A heron</description><Point><coordinates>1,2</coordinates></Point></Placemark></Document></kml>',
  enex: '<en-export><note><title>List</title><content><![CDATA[<en-note><div>Milk</div><en-todo checked="true"/>Bread</en-note>]]></content><created>20250303T090000Z</created></note></en-export>',
  fb2: '<FictionBook><description><title-info><book-title>Book</book-title><author><first-name>Ann</first-name></author></title-info></description><body><section><title><p>One</p></title><p>Text</p><section><title><p>Inner</p></title><p>More</p></section></section></body></FictionBook>',
  xml: '<books><book id="1"><title>One</title><price>12</price></book><book id="2"><title>Two</title><price>13</price></book></books>',
};
