import { setTimeout as delay } from 'node:timers/promises';
import { encodeFrame } from '../../src/fabric/control-channel/frame.ts';
import { messages } from '../../src/fabric/control-channel/messages/index.ts';
import type { Bounds, RouterMessage } from '../../src/fabric/control-channel/messages/message-type.ts';
import { issuedCertificate, newCsr } from '../../testing/certificates.ts';
import { frozenClock } from '../../testing/clock.ts';
import { connectScripted, type ScriptedRouter } from '../../testing/scripted-router.ts';
import type { RemoteApp } from './network.ts';

/** Enrolled routers that send valid, random and hostile frames of every type. A router remains in use even after it was disconnected. */
export interface HostileRouters {
  /** The number of frames sent so far. */
  readonly frames: number;
  /** Connects a router and sends some frames. @returns a description of what the router did */
  run(random: () => number): Promise<string>;
}

/** Number of frames that a router sends per connection. */
const FRAMES = 30;
/** Maximum number of routers. */
const MAX_ROUTERS = 8;
/** Time for the controller to handle frames of a router that reads nothing. */
const DEAF_MS = 200;
/** Maximum number of bytes of hostile bodies per connection, because the connection's budget refuses more. */
const MAX_BYTES = 16_777_216;

const VERSIONS = ['v1.7.2', 'v2.0.3'] as const;
const CLIENT = '/edge/client/v1';

interface Enrolled {
  readonly id: string;
  readonly certificate: { readonly chain: string; readonly key: string };
}

export const createHostileRouters = (app: RemoteApp, port: number): HostileRouters => {
  const routers: Enrolled[] = [];
  let frames = 0;
  const enroll = async (): Promise<Enrolled> => {
    const id = await app.create('/edge-routers', { name: 'hostile', isTunnelerEnabled: true });
    const { body } = await app.request('GET', `/edge-routers/${id}`);
    const token: string = body.data.enrollmentToken;
    const [own, server] = [await newCsr(id), await newCsr(id)];
    const answer = await app.request('POST', `${CLIENT}/enroll?method=erott&token=${token}`, {
      as: null,
      body: { certCsr: own.csr, serverCertCsr: server.csr },
    });
    if (answer.status !== 200) throw new Error(`a router could not enroll: ${answer.text}`);
    return { id, certificate: await issuedCertificate(answer.body.data.cert, own.key) };
  };
  const next = async (random: () => number): Promise<Enrolled> => {
    if (routers.length < MAX_ROUTERS) routers.push(await enroll());
    return routers[Math.floor(random() * routers.length)] ?? enroll();
  };

  return {
    get frames() {
      return frames;
    },
    run: async (random) => {
      const { id, certificate } = await next(random);
      const version = VERSIONS[random() < 0.5 ? 0 : 1];
      const connecting = connectScripted({ id, certificate, clock: frozenClock() }, { port, version });
      // Refused if another connection of the router is too recent.
      const router = await connecting.catch(() => undefined);
      if (!router) return 'a router that was refused';
      // A deaf router reads nothing, so the controller's responses pile up.
      const isDeaf = random() < 0.3;
      if (isDeaf) router.pause();
      const sent: string[] = [];
      let remaining = MAX_BYTES;
      for (let i = 0; i < FRAMES && !router.signal.aborted; i++) {
        const [name, bytes] = frameOf(random, remaining);
        remaining -= bytes.length;
        sent.push(name);
        router.write(bytes);
        frames++;
        if (random() < 0.3) await (isDeaf ? delay(DEAF_MS) : answered(router));
      }
      await (isDeaf ? delay(DEAF_MS) : answered(router));
      router.close();
      router.resume();
      return `a router that ${isDeaf ? 'read nothing and ' : ''}sent ${sent.join(', ')}`;
    },
  };
};

/** Waits until the controller has read all previous frames, or has disconnected the router. */
const answered = (router: ScriptedRouter): Promise<unknown> => router.request(messages.channel.ping, undefined).catch(() => undefined);

const frameOf = (random: () => number, maxBytes: number): readonly [name: string, bytes: Uint8Array] => {
  const message = messages.all[Math.floor(random() * messages.all.length)] ?? messages.channel.ping;
  const bounds: Bounds = 'bounds' in message ? (message as RouterMessage<unknown, never>).bounds : { bytes: 65_536, elements: 1000 }; // only messages of routers have bounds
  const [kind, body] = bodyOf(random, { ...bounds, bytes: Math.max(1, Math.min(bounds.bytes, maxBytes)) });
  const contentType = random() < 0.02 ? Math.floor(random() * 30_000) : message.contentType;
  // A hello ends the connection, as it must. It is sent rarely, so that other messages are tested too.
  if (contentType === messages.channel.hello.contentType && random() < 0.9) return frameOf(random, maxBytes);
  const headers = new Map(
    Array.from({ length: Math.floor(random() * 6) }, () => [Math.floor(random() * 16), noise(random, random() < 0.9 ? 40 : 9000)]),
  );
  // Header 1 makes a frame a response, and unexpected responses are ignored.
  if (random() < 0.8) headers.delete(1);
  return [`${message.name} (${kind})`, encodeFrame({ contentType, sequence: Math.floor(random() * 1000), headers, body })];
};

const noise = (random: () => number, length: number): Uint8Array =>
  Uint8Array.from({ length: Math.floor(random() * length) }, () => Math.floor(random() * 256));

const bodyOf = (random: () => number, { bytes, elements }: Bounds): readonly [kind: string, body: Uint8Array] => {
  const choice = random();
  if (choice < 0.1) return ['empty', new Uint8Array()];
  if (choice < 0.3) return ['noise', noise(random, 200)];
  if (choice < 0.8) return ['fields', fields(random, 3)];
  const field = 1 + Math.floor(random() * 10);
  const one = Buffer.from(fields(random, 1)).subarray(0, 60);
  const element = Buffer.concat([Uint8Array.of(field * 8 + 2, one.length), one]);
  const count = Math.floor(Math.min(elements * (random() < 0.8 ? 0.3 : 2), bytes / element.length));
  return [`${count} elements`, Buffer.concat(Array.from({ length: count }, () => element))];
};

/** Random fields, nested up to some depth. */
const fields = (random: () => number, depth: number): Uint8Array => {
  const parts = Array.from({ length: Math.floor(random() * 8) }, () => {
    const number = 1 + Math.floor(random() * 15);
    if (random() < 0.4) return Uint8Array.of(number * 8, Math.floor(random() * 128));
    const inner = depth > 0 && random() < 0.3 ? fields(random, depth - 1) : Buffer.from(word(random));
    return Buffer.concat([Uint8Array.of(number * 8 + 2, Math.min(127, inner.length)), inner.subarray(0, 127)]);
  });
  return Buffer.concat(parts);
};

const WORDS = ['', 'a', 'x y z', 'unknown', '#all', '\u0000', '../..', 'tls:127.0.0.1:6000', '🎈', 'a'.repeat(120)] as const;
const word = (random: () => number): string => WORDS[Math.floor(random() * WORDS.length)] ?? '';
