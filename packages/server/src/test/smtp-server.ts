/** Runs a real mail server (smtp-server) on a port of this machine, which keeps the mails that it takes. */
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import type { SmtpServer } from '../net/smtp.ts';
import { selfSigned } from './certificate.ts';

/** The server misbehaves in one of these ways. */
export type SmtpFault =
  | 'hangs'
  | 'hangs after the greeting'
  | 'cuts at once'
  | 'cuts within the mail'
  | 'refuses the sender'
  | 'refuses the person'
  | 'refuses the mail'
  | 'is full';

export const LOGIN = { user: 'post@example.com', pass: 'a pass: with %20 @ and /' };

interface MailPeer {
  /** STARTTLS is offered unless this is `none`; with `always`, TLS begins with the connection. */
  readonly tls?: 'offered' | 'always' | 'none';
}

const PATIENCE_MS = 60_000;

export type TestSmtp = Awaited<ReturnType<typeof openSmtp>>;

/** The server takes mails of LOGIN alone. */
export async function openSmtp({ tls = 'offered' }: MailPeer = {}) {
  const { certificate, key } = selfSigned('127.0.0.1');
  const sockets = new Set<Socket>();
  const peer = {
    fault: null as SmtpFault | null,
    mails: [] as {
      readonly from: string;
      readonly to: readonly string[];
      readonly isSecure: boolean;
      readonly raw: string;
      readonly mail: Email;
    }[],
    /** Each entry is a user that tried to sign in. */
    logins: [] as string[],
  };
  const refusal = (code: number, text: string) =>
    Object.assign(new Error(text), { responseCode: code });
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = new SMTPServer({
    ...{
      key,
      cert: certificate,
      secure: tls === 'always',
      disabledCommands: tls === 'none' ? ['STARTTLS'] : [],
    },
    ...{
      allowInsecureAuth: tls === 'none',
      closeTimeout: 1,
      logger: false,
      disableReverseLookup: true,
    },
    socketTimeout: PATIENCE_MS,
    onConnect(_session, done) {
      if (peer.fault === 'cuts at once') return cut();
      if (peer.fault === 'is full') return done(refusal(421, 'try again later'));
      if (peer.fault !== 'hangs') done();
    },
    onAuth({ username = '', password = '' }, _session, done) {
      peer.logins.push(username);
      const isRight = username === LOGIN.user && password === LOGIN.pass;
      if (isRight) return done(null, { user: username });
      // Some servers repeat what they refuse.
      done(refusal(535, `${username} ${password} is wrong`));
    },
    onMailFrom(_address, _session, done) {
      if (peer.fault === 'hangs after the greeting') return;
      done(peer.fault === 'refuses the sender' ? refusal(553, 'not your address') : null);
    },
    onRcptTo(_address, _session, done) {
      done(peer.fault === 'refuses the person' ? refusal(550, 'no such person') : null);
    },
    onData(stream, { envelope, secure }, done) {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => {
        pieces.push(piece);
        if (peer.fault === 'cuts within the mail') cut();
      });
      stream.on('end', async () => {
        if (peer.fault === 'refuses the mail') return done(refusal(554, 'this is spam'));
        const raw = Buffer.concat(pieces).toString('latin1');
        peer.mails.push({
          from: envelope.mailFrom ? envelope.mailFrom.address : '',
          to: envelope.rcptTo.map(({ address }) => address),
          isSecure: secure,
          raw,
          mail: await PostalMime.parse(Buffer.concat(pieces)),
        });
        done();
      });
    },
  });
  server.on('error', () => {
    // Clients that break off are what the tests are about.
  });
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const settings: SmtpServer = {
    ...{ host: '127.0.0.1', port, isTls: tls === 'always', needsTls: false, login: LOGIN },
    from: { name: 'Quarry', address: 'quarry@example.com' },
  };
  return Object.assign(peer, {
    certificate,
    settings,
    url: `smtp${tls === 'always' ? 's' : ''}://${encodeURIComponent(LOGIN.user)}:${encodeURIComponent(LOGIN.pass)}@127.0.0.1:${port}`,
    open: () => server.connections.size,
    async close() {
      const closed = new Promise<void>((done) => server.close(() => done()));
      cut();
      await closed;
    },
  });
}
