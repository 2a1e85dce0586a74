import { Malformed } from '../malformed.ts';
import type { WireField } from './fields.ts';
import { Reader, wireType } from './reader.ts';
import type { WireValue } from './values.ts';
import { Writer } from './writer.ts';

/** The fields of a message, each with its number on the wire. */
export type FieldTable = Readonly<Record<string, readonly [number: number, field: WireField<unknown>]>>;

/** A decoded message. Absent fields have their default value. */
export type ReadMessage<F extends FieldTable> = { readonly [K in keyof F]: F[K][1] extends { initial(): infer T } ? T : never };

/** A message to encode. Every field is optional. */
export type WrittenMessage<F extends FieldTable> = {
  readonly [K in keyof F]?: (F[K][1] extends { write(to: Writer, number: number, value: infer I): void } ? I : never) | undefined;
};

/** A message type, defined by the table of its fields. Unknown fields and fields with the wrong wire type are skipped. */
export interface Message<T, I> extends WireValue<T, I> {
  /**
   * Decodes a body field by field, and yields the number of elements of each.
   * @param maxElements maximum total number of elements
   * @throws Malformed
   */
  decoding(body: Uint8Array, maxElements?: number): Generator<number, T>;
  /**
   * Decodes a body without pauses.
   * @throws Malformed
   */
  decode(body: Uint8Array, maxElements?: number): T;
  encode(value: I): Uint8Array;
}

export const message = <const F extends FieldTable>(fields: F): Message<ReadMessage<F>, WrittenMessage<F>> => {
  const rows = Object.entries(fields).map(([name, [number, field]]) => ({ name, number, field }));
  const byNumber = new Map(rows.map((row) => [row.number, row]));

  const readField = (from: Reader, target: Record<string, unknown>): void => {
    from.element();
    const tag = from.uint32();
    const [number, type] = [tag >>> 3, tag & 7];
    if (number === 0) throw new Malformed('a field has the number 0');
    const row = byNumber.get(number);
    const value = row?.field.read(from, type, target[row.name]);
    if (row && value !== undefined) target[row.name] = value;
    else from.skip(type);
  };
  const readInto = (from: Reader, target: Record<string, unknown>): Record<string, unknown> => {
    while (!from.isAtEnd) readField(from, target);
    return target;
  };
  // The types of fields are derived from the table.
  const absent = Object.fromEntries(rows.map(({ name, field }) => [name, field.initial()])) as ReadMessage<F>;
  const write = (to: Writer, value: WrittenMessage<F>) => {
    for (const { name, number, field } of rows) if (value[name] !== undefined) field.write(to, number, value[name]);
  };
  const decoding = function* (body: Uint8Array, maxElements?: number): Generator<number, ReadMessage<F>> {
    const [from, target]: [Reader, Record<string, unknown>] = [new Reader(body, maxElements), { ...absent }];
    while (!from.isAtEnd) {
      readField(from, target);
      yield from.nextField();
    }
    return target as ReadMessage<F>;
  };
  return {
    type: wireType.bytes,
    initial: () => absent,
    read: (from, before) => from.within(() => readInto(from, { ...(before ?? absent) })) as ReadMessage<F>,
    write: (to, value) => to.within(() => write(to, value)),
    isInitial: () => false,
    decoding,
    decode: (body, maxElements) => finished(decoding(body, maxElements)),
    encode: (value) => {
      const writer = new Writer();
      write(writer, value);
      return writer.finish();
    },
  };
};

/**
 * Runs a generator to its end.
 * @returns its result
 */
export const finished = <T>(work: Generator<unknown, T>): T => {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
};
