import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FRAME_LIMITS } from '../../../src/fabric/control-channel/accept.ts';
import { encodeFrame, type Frame } from '../../../src/fabric/control-channel/frame.ts';
import { createFrameReader } from '../../../src/fabric/control-channel/frame-reader.ts';
import { earlierHelloHeader, header } from '../../../src/fabric/control-channel/header-fields.ts';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { linkListeners } from '../../../src/fabric/control-channel/messages/links.ts';
import type { MessageType } from '../../../src/fabric/control-channel/messages/message-type.ts';
import { routerMetadata } from '../../../src/fabric/control-channel/messages/routers.ts';
import { fromHex, hexOf, type RecordedFrame, recordedFrames } from '../../support/control-channel/recorded.ts';

/** Names that stand for absent enumerations. */
const INITIAL = new Set(['create', 'ingress', 'start', 'healthy', 'success', 'default', 'invalid', 'certificate', 'unknownBinding']);

const isAbsent = (value: unknown): boolean =>
  value === undefined || value === 0 || value === '' || value === false || (typeof value === 'string' && INITIAL.has(value));

/** What a message says, as the recordings write it down: without what absence means. */
const plain = (value: unknown): unknown => {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Map) return plain(Object.fromEntries(value));
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, field]) => [key, plain(field)] as const);
  return Object.fromEntries(entries.filter(([, field]) => !isAbsent(field) && !isEmpty(field)));
};

const isEmpty = (value: unknown): boolean => typeof value === 'object' && value !== null && Object.keys(value).length === 0;

const messageOf = ({ contentType, decoded }: RecordedFrame): MessageType<unknown, never> => {
  // Two messages share a number: one is text, the other has fields.
  const { refused } = messages.circuits;
  if (contentType === refused.contentType) return decoded == null ? refused : messages.enrollment.enrollmentOutcome;
  return messages.all.find((message) => message.contentType === contentType) ?? assert.fail(`${contentType}`);
};

const only = (hex: string): Frame => {
  const [frame, ...others] = [...createFrameReader(FRAME_LIMITS).read(fromHex(hex))];
  return frame && others.length === 0 ? frame : assert.fail('not one frame');
};

describe('what controllers and routers have said to each other', () => {
  test('every frame is read, and written as it was', () => {
    for (const recorded of recordedFrames) {
      const frame = only(recorded.frame);
      assert.deepEqual([frame.contentType, frame.sequence], [recorded.contentType, recorded.sequence], recorded.name);
      assert.deepEqual(hexOf(frame.headers), recorded.headers, recorded.name);
      assert.equal(Buffer.from(encodeFrame(frame)).toString('hex'), recorded.frame, recorded.name);
    }
  });

  test('every message says what it said, also after it was written again', () => {
    for (const recorded of recordedFrames) {
      const message = messageOf(recorded);
      const said = message.decode(only(recorded.frame).body);
      if (recorded.decoded != null) {
        assert.deepEqual(plain(said), plain(recorded.decoded), recorded.name);
        // What was read may be written.
        assert.deepEqual(plain(message.decode(message.encode(said as never))), plain(recorded.decoded), recorded.name);
      } else if (recorded.text !== undefined) assert.equal(said, recorded.text, recorded.name);
    }
  });

  test('the hello of a router says where others reach it, and that it manages links', () => {
    const [hello] = recordedFrames.filter(({ name }) => name === 'Hello');
    const frame = only(hello?.frame ?? '');
    assert.deepEqual(linkListeners.decode(earlierHelloHeader.listeners.required(frame)).listeners, [
      { address: 'tls:127.0.0.1:23021', protocol: 'tls', costTags: [], groups: ['default'], localBinding: 'lo' },
    ]);
    assert.deepEqual(routerMetadata.decode(earlierHelloHeader.metadata.required(frame)).capabilities, ['linkManagement']);
    assert.match(header.version.required(frame), /^v0\.0\.0\|/);
  });
});
