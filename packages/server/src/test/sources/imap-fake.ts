/**
 * Servers that misbehave: one that stands before a real server and breaks its connections, and one that answers as a test
 * says. They show what Dovecot never does.
 */
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';

async function listen(serve: (socket: Socket) => void) {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => {});
    serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Passes everything to the server at `port`, and breaks a connection when that has answered `bytesLeft` bytes. */
export async function openCutter(port: number) {
  let bytesLeft = Number.POSITIVE_INFINITY;
  const cuts = { count: 0, answered: 0 };
  const { close, ...at } = await listen((socket) => {
    const upstream = createConnection({ host: '127.0.0.1', port });
    upstream.on('error', () => {});
    upstream.on('close', () => socket.destroy());
    socket.on('close', () => upstream.destroy());
    socket.pipe(upstream);
    upstream.on('data', (bytes: Buffer) => {
      cuts.answered += bytes.length;
      if (bytes.length < bytesLeft) {
        bytesLeft -= bytes.length;
        socket.write(bytes);
        return;
      }
      // The last bytes arrive, so that an answer breaks in its middle.
      socket.end(bytes.subarray(0, bytesLeft));
      upstream.destroy();
      bytesLeft = Number.POSITIVE_INFINITY;
      cuts.count++;
    });
  });
  return {
    ...at,
    cuts,
    /** Breaks the connection once, after this many bytes. */
    cutAfter(bytes: number): void {
      bytesLeft = bytes;
    },
    close,
  };
}

/** The keys are commands in capital letters; each answers with lines, of which the last one is the tagged one. */
export type Script = Readonly<Record<string, (args: string) => readonly string[]>>;

const CAPABILITY = 'IMAP4rev1 LIST-STATUS ESEARCH';

/** The answer of a command that the script does not have. `%` stands for the tag. */
const USUAL: Script = {
  CAPABILITY: () => [`* CAPABILITY ${CAPABILITY}`, '% OK done'],
  LOGIN: () => [`% OK [CAPABILITY ${CAPABILITY}] done`],
  LIST: () => [
    '* LIST (\\HasNoChildren) "/" INBOX',
    '* STATUS INBOX (MESSAGES 1 UIDNEXT 2 UIDVALIDITY 1)',
    '% OK done',
  ],
  EXAMINE: () => [
    '* 1 EXISTS',
    '* OK [UIDVALIDITY 1] .',
    '* OK [UIDNEXT 2] .',
    '% OK [READ-ONLY] done',
  ],
  LOGOUT: () => ['* BYE see you', '% OK done'],
};

/** Answers each command as the script says, and others as an ordinary server with one message does. */
export async function openFake(script: Script, greeting = `* OK [CAPABILITY ${CAPABILITY}] hello`) {
  const asked: string[] = [];
  const { close, ...at } = await listen((socket) => {
    socket.write(`${greeting}\r\n`);
    if (greeting.startsWith('* BYE')) socket.end();
    let rest = '';
    socket.on('data', (bytes) => {
      rest += bytes.toString();
      for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
        const [, tag = '', command = '', args = ''] =
          /^(\S+) ((?:UID )?\S+) ?(.*)$/.exec(rest.slice(0, end)) ?? [];
        rest = rest.slice(end + 2);
        asked.push(`${command} ${args}`.trim());
        const answer = script[command.toUpperCase()] ?? USUAL[command.toUpperCase()];
        const lines = answer ? answer(args) : ['% OK done'];
        const text = lines.map((line) => line.replace(/^% /, `${tag} `)).join('\r\n');
        // A line that ends with … is the beginning of an answer that never ends.
        socket.write(text.endsWith('…') ? text.slice(0, -1) : `${text}\r\n`);
        if (text.includes('* BYE')) socket.end();
      }
    });
  });
  return { ...at, asked, close };
}
