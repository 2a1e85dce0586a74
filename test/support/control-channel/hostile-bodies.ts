/** Bodies of messages with which a router makes a controller work as much as it can. */
import { Writer } from '../../../src/fabric/control-channel/codec/writer.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import type { Bounds, RouterMessage } from '../../../src/fabric/control-channel/messages/message-type.ts';

/** The messages that an enrolled router may send. */
export const sent = messages.all.filter(
  (message): message is RouterMessage<unknown, never> => 'bounds' in message && message !== messages.channel.hello,
);

/** As many of some bytes as fit, and as there may be elements. */
export const filled = (one: Uint8Array, most: number, bytes: number): Uint8Array => {
  const count = Math.max(0, Math.floor(Math.min(most, bytes / one.length)));
  const all = new Uint8Array(count * one.length);
  for (let i = 0; i < count; i++) all.set(one, i * one.length);
  return all;
};

/** A field that is measured. */
const measured = (number: number, bytes: Uint8Array): Uint8Array => {
  const writer = new Writer();
  writer.tag(number, 2);
  writer.bytes(bytes);
  return writer.finish();
};
export const field = (number: number, ...bytes: readonly number[]) => measured(number, Uint8Array.from(bytes));

/** A text `a`, and numbers of ten bytes: the dearest. */
const A = [0x0a, 0x01, 0x61] as const;
const LONGEST = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01] as const;

/**
 * Bodies that are as long, or have as many elements, as they may; and one element more. Lists of routers are in field 1, maps in field 1 or
 * 2.
 */
export const hostileBodies = ({ bytes, elements }: Bounds): Readonly<Record<string, Uint8Array>> => ({
  'texts in field 1': filled(field(1, 0x61), elements, bytes),
  'messages in field 1': filled(field(1, ...A, 0x12, 0x01, 0x61, 0x18, ...LONGEST), elements / 4, bytes),
  'entries in field 1': filled(field(1, ...A, 0x12, 0x00), elements / 3, bytes),
  'entries in field 2': filled(field(2, ...A, 0x10, ...LONGEST), elements / 3, bytes),
  'entries in field 7': filled(field(7, ...A, 0x12, 0x02, 0x08, 0x01), elements / 4, bytes),
  'one message in field 1': measured(1, filled(field(3, 0x08, ...LONGEST), Math.min(elements, 32_000) / 2 - 1, bytes - 8)),
  'a message in field 7 that comes again and again': filled(field(7), elements, bytes),
  'unknown fields': filled(Uint8Array.of(0xf8, 0x07, ...LONGEST), elements, bytes),
  'an element too many': filled(Uint8Array.of(0xf8, 0x07, 0x01), elements + 1, bytes),
  'a long text': measured(2, filled(Uint8Array.of(0x61), bytes - 8, bytes - 8)),
  'a long text of blanks and letters': measured(2, filled(Uint8Array.of(0x61, 0x20), bytes / 2 - 8, bytes - 16)),
  'a fault of circuits': Buffer.concat([
    Uint8Array.of(0x08, 0x03),
    measured(2, filled(Uint8Array.of(0x61, 0x20), bytes / 2 - 8, bytes - 16)),
  ]),
});
