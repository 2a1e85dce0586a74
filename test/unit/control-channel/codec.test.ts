import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { field, message, valueType } from '../../../src/fabric/control-channel/codec/index.ts';
import { Malformed } from '../../../src/fabric/control-channel/malformed.ts';
import { fromHex, toHex } from '../../support/control-channel/recorded.ts';

const colour = valueType.enumeration(['red', 'green', 'blue']);
const inner = message({ name: field.text(1), size: field.uint32(2) });
const everything = message({
  text: field.text(1),
  bytes: field.bytes(2),
  bool: field.bool(3),
  int32: field.int32(4),
  uint32: field.uint32(5),
  int64: field.int64(6),
  uint64: field.uint64(7),
  colour: field.named(8, colour),
  inner: field.nested(9, inner),
  numbers: field.list(10, valueType.uint32),
  colours: field.list(11, colour),
  inners: field.list(12, inner),
  texts: field.texts(13),
  sizes: field.mapped(14, valueType.text, valueType.int32),
  byNumber: field.mapped(15, valueType.uint32, inner),
});

const EMPTY = everything.decode(new Uint8Array());

/** A message as it comes when only these fields were given. */
const coming = (fields: Parameters<typeof everything.encode>[0]) => everything.decode(everything.encode(fields));

const anInner = fc.record({ name: fc.string({ unit: 'grapheme' }), size: fc.nat({ max: 0xffffffff }) }, { noNullPrototype: true });
const aColour = fc.constantFrom('red' as const, 'green' as const, 'blue' as const);
const anything = fc.record(
  {
    text: fc.string({ unit: 'grapheme' }),
    bytes: fc.uint8Array(),
    bool: fc.boolean(),
    int32: fc.integer(),
    uint32: fc.nat({ max: 0xffffffff }),
    int64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    uint64: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    colour: aColour,
    inner: fc.option(anInner, { nil: undefined }),
    numbers: fc.array(fc.nat({ max: 0xffffffff })),
    colours: fc.array(aColour),
    inners: fc.array(anInner),
    texts: fc.array(fc.string()),
    sizes: fc.array(fc.tuple(fc.string(), fc.integer())).map((entries) => new Map(entries)),
    byNumber: fc.array(fc.tuple(fc.nat({ max: 0xffffffff }), anInner)).map((entries) => new Map(entries)),
  },
  { noNullPrototype: true },
);

describe('the codec', () => {
  test('whatever a message says, it comes as it went', () => {
    fc.assert(fc.property(anything, (value) => assert.deepEqual(coming(value), value)));
  });

  test('it writes what the format says', () => {
    const cases: readonly (readonly [Parameters<typeof everything.encode>[0], string])[] = [
      [{}, ''],
      [{ text: 'testing' }, '0a0774657374696e67'],
      [{ uint32: 150 }, '289601'],
      [{ int32: -2 }, '20feffffffffffffffff01'],
      [{ int64: -1n }, '30ffffffffffffffffff01'],
      [{ bool: true, colour: 'blue' }, '18014002'],
      [{ numbers: [3, 270, 86942] }, '5206038e029ea705'],
      [{ inner: {} }, '4a00'],
      [{ inner: { name: 'a' } }, '4a030a0161'],
      [{ sizes: new Map([['a', 1]]) }, '72050a01611001'],
      [{ text: '', uint32: 0, bool: false, colour: 'red', numbers: [], bytes: new Uint8Array() }, ''],
    ];
    for (const [value, hex] of cases) assert.equal(toHex(everything.encode(value)), hex);
  });

  test('absent fields have what absence means', () => {
    assert.deepEqual([EMPTY.text, EMPTY.uint64, EMPTY.bool, EMPTY.colour, EMPTY.inner], ['', 0n, false, 'red', undefined]);
    assert.deepEqual([EMPTY.numbers, EMPTY.sizes], [[], new Map()]);
  });

  test('unknown fields are skipped, and known ones of another wire type', () => {
    const unknown = ['a00601', 'a106 0102030405060708', 'a206 03 010203', 'a506 01020304', '0801', '2d01020304'];
    for (const hex of unknown) assert.deepEqual(everything.decode(fromHex(hex.replaceAll(' ', ''))), EMPTY, hex);
    assert.equal(everything.decode(fromHex('a006010a0161')).text, 'a');
  });

  test('numbers in lists are read packed, one by one, and mixed', () => {
    for (const hex of ['5a03000102', '580058015802', '580058015a0102', '5a0200015802'])
      assert.deepEqual(everything.decode(fromHex(hex)).colours, ['red', 'green', 'blue'], hex);
  });

  test('of a field that comes twice the later counts; nested messages are merged', () => {
    assert.equal(everything.decode(fromHex('0a01610a0162')).text, 'b');
    assert.deepEqual(everything.decode(fromHex('4a030a0161' + '4a021007')).inner, { name: 'a', size: 7 });
  });

  test('a number that has no name is unrecognized', () => {
    assert.equal(everything.decode(fromHex('4009')).colour, 'unrecognized');
    assert.deepEqual(everything.decode(fromHex('5a020109')).colours, ['green', 'unrecognized']);
  });

  test('entries of maps may lack key or value, and have them in any order', () => {
    assert.deepEqual(everything.decode(fromHex('7200')).sizes, new Map([['', 0]]));
    assert.deepEqual(everything.decode(fromHex('720510010a0161')).sizes, new Map([['a', 1]]));
    assert.deepEqual(everything.decode(fromHex('7a020805')).byNumber, new Map([[5, { name: '', size: 0 }]]));
    assert.deepEqual([...coming({ sizes: new Map([['__proto__', 1]]) }).sizes.keys()], ['__proto__']);
  });

  test('what is cut off, contradicts itself or is not of the format is refused', () => {
    const cases: Readonly<Record<string, RegExp>> = {
      '0a05': /longer than its message/,
      '0affffffff0f': /longer than its message/,
      '28': /cut off/,
      '2880': /cut off/,
      '28ffffffffffffffffffff01': /more than ten bytes/,
      '38ffffffffffffffffffff01': /more than ten bytes/,
      '0001': /the number 0/,
      a306: /unknown wire type 3/,
      '0a01ff': /not UTF-8/,
      '4a020a05': /longer than its message/,
      a506010203: /cut off/,
    };
    for (const [hex, refusal] of Object.entries(cases)) {
      assert.throws(() => everything.decode(fromHex(hex)), refusal, hex);
      assert.throws(() => everything.decode(fromHex(hex)), Malformed, hex);
    }
  });

  test('fields, values of lists and entries of maps count as elements, nested ones and unknown ones too', () => {
    const counted: Readonly<Record<string, number>> = {
      '0a01610a0162': 2, // a field that comes twice
      '5a03000102': 4, // a packed list of three
      '62006200': 2, // nested messages
      '4a030a0161': 2, // a nested message with one field
      '72050a01611001': 3, // an entry with key and value
      a00601: 1, // unknown
    };
    for (const [hex, elements] of Object.entries(counted)) {
      assert.deepEqual(everything.decode(fromHex(hex), elements), everything.decode(fromHex(hex)), hex);
      assert.throws(() => everything.decode(fromHex(hex), elements - 1), new RegExp(`more than ${elements - 1} elements`), hex);
    }
  });

  test('where elements are bounded, those within one field are, too', () => {
    const within = (count: number) => everything.encode({ colours: Array.from({ length: count }, () => 'red' as const) });
    assert.equal(everything.decode(within(32_767), 1e6).colours.length, 32_767);
    assert.throws(() => everything.decode(within(32_768), 1e6), /a field has more than 32768 elements/);
    assert.equal(everything.decode(within(32_768)).colours.length, 32_768);
  });

  test('a message is read field by field', () => {
    const reading = everything.decoding(everything.encode({ texts: ['a', 'b'], inner: { name: 'c', size: 1 } }));
    const steps: number[] = [];
    let step = reading.next();
    for (; !step.done; step = reading.next()) steps.push(step.value);
    assert.deepEqual([steps, step.value.texts, step.value.inner], [[3, 1, 1], ['a', 'b'], { name: 'c', size: 1 }]);
  });

  test('cut at any byte, a message is read or refused, and nothing else', () => {
    fc.assert(
      fc.property(anything, fc.nat(), (value, at) => {
        const bytes = everything.encode(value);
        try {
          everything.decode(bytes.subarray(0, at % (bytes.length + 1)));
        } catch (error) {
          assert.ok(error instanceof Malformed);
        }
      }),
    );
  });

  test('any bytes are read or refused, and nothing else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          everything.decode(bytes);
        } catch (error) {
          assert.ok(error instanceof Malformed);
        }
      }),
    );
  });

  test('bytes that were read do not belong to the frame that they came in', () => {
    const frame = Buffer.from(everything.encode({ bytes: Uint8Array.of(1, 2) }));
    const { bytes } = everything.decode(frame);
    frame.fill(0);
    assert.deepEqual(bytes, Uint8Array.of(1, 2));
  });
});
