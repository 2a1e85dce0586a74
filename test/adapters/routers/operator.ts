import { once } from 'node:events';
import { WebSocket } from 'ws';
import { managementChannels } from '../../../adapters/channels/node.ts';
import { serve } from '../../../adapters/http/node.ts';
import { decodeHeaders, encodeFrame, type FrameHeaders } from '../../../src/fabric/control-channel/frame.ts';
import type { RouterNetwork } from './support.ts';

/** A frame that an operator has received. */
interface ReceivedFrame {
  readonly type: number;
  readonly headers: FrameHeaders;
  readonly body: Uint8Array;
}

/** An operator with an open management channel. Default: an administrator. */
export const operator = async ({ network }: Pick<RouterNetwork, 'network'>, session?: string) => {
  const channels = managementChannels(network.controller);
  const serving = await serve({ controller: network.controller, channels });
  const token = session ?? (await (await network.administrator('operator')).login()).token;
  const socket = new WebSocket(`ws://127.0.0.1:${serving.port}/fabric/v1/ws-api`, { headers: { 'zt-session': token } });
  const frames: ReceivedFrame[] = [];
  let isOpen = true;
  socket.on('close', () => (isOpen = false));
  socket.on('message', (data) => {
    const bytes = Buffer.from(data as Buffer); // as the library gives it
    const body = 20 + bytes.readUInt32LE(12);
    const headers = decodeHeaders(bytes.subarray(20, body));
    frames.push({ type: bytes.readInt32LE(4), headers, body: new Uint8Array(bytes.subarray(body)) });
  });
  await once(socket, 'open');
  let sequence = 0;
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    socket.terminate();
    return (closed ??= serving.close(0));
  };
  return {
    frames,
    isOpen: () => isOpen,
    send: <I>({ contentType, encode }: { readonly contentType: number; encode(body: I): Uint8Array }, body: I): void =>
      socket.send(encodeFrame({ contentType, sequence: ++sequence, headers: new Map(), body: encode(body) })),
    close,
    [Symbol.asyncDispose]: close,
  };
};
