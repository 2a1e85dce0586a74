/** Protocol Buffers encoding, driven by tables of fields. */
export { type Message, message } from './message.ts';
export { field } from './table.ts';
export { valueType, type WireValue } from './values.ts';
