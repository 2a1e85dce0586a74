import assert from 'node:assert/strict';
import { encodeFrame, type Frame } from '../../../src/fabric/control-channel/frame.ts';
import { createFrameReader } from '../../../src/fabric/control-channel/frame-reader.ts';
import { type Header, header, headersOf } from '../../../src/fabric/control-channel/header-fields.ts';
import { utf8 } from '../../../src/fabric/control-channel/primitives.ts';
import { acceptRouterOf } from '../../../src/routers.ts';
import type { TestNetwork, TestRouter } from '../../../testing/index.ts';

/**
 * A router without a socket: what it sends is given to the controller as bytes, so that nothing but the controller takes processor time.
 */
export interface DirectRouter {
  readonly id: string;
  /** Why its connection has ended; undefined while it lasts. */
  readonly end: string | undefined;
  /** What the controller has sent. */
  readonly came: readonly Frame[];
  /** Resolves when more may be sent. */
  send(bytes: Uint8Array): Promise<void>;
  close(): void;
}

const HELLO: readonly Header[] = [header.version.of('v1.7.2|test|2026-01-01 00:00:00|linux|amd64')];

/** A router that is connected, after its hello. @param hello headers of it */
export const directRouter = async (network: TestNetwork, of: TestRouter, hello = HELLO): Promise<DirectRouter> => {
  // Enrolls, if it must.
  await of.connect();
  of.disconnect();
  const router = await directConnection(network, of, hello);
  assert.equal(router.end, undefined);
  return router;
};

/** What a connection presents. */
export interface Presented {
  /** The id in the hello. Default: that of the router. */
  readonly claimedId?: string | undefined;
  /** Default: those of the router. */
  readonly certificates?: readonly Uint8Array[];
}

/** A connection after its hello, which may have been refused. @param of an enrolled router */
export const directConnection = async (
  network: TestNetwork,
  of: TestRouter,
  hello: readonly Header[],
  { claimedId = of.id, certificates = of.certificate?.certificates ?? [] }: Presented = {},
): Promise<DirectRouter> => {
  const came: Frame[] = [];
  const reader = createFrameReader({ headers: 65_536, body: 67_108_864 });
  const { signal, received, close } = acceptRouterOf(network.controller)({
    certificates,
    remoteAddress: 'test',
    write: (bytes) => void came.push(...reader.read(bytes)),
    buffered: 0,
    drained: async () => undefined,
    end: () => undefined,
  });
  await received(frameOf(0, utf8(claimedId), hello));
  return {
    id: of.id,
    get end() {
      return signal.reason?.message;
    },
    came,
    send: received,
    close: close,
  };
};

/** A frame as it travels. */
export const frameOf = (contentType: number, body: Uint8Array, headers: readonly Header[] = []): Uint8Array =>
  encodeFrame({ contentType, sequence: contentType === 0 ? -1 : 1, headers: headersOf(headers), body });
