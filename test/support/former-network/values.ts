/** The values of the former controller's storage module, encoded as it does. */

const typed = (type: number, rest: Buffer): Buffer => Buffer.concat([Buffer.of(type), rest]);

export const boolValue = (value: boolean): Buffer => Buffer.of(1, value ? 1 : 0);

export const int32Value = (value: number): Buffer => {
  const rest = Buffer.alloc(4);
  rest.writeInt32LE(value);
  return typed(2, rest);
};

export const int64Value = (value: number): Buffer => {
  const rest = Buffer.alloc(8);
  rest.writeBigInt64LE(BigInt(value));
  return typed(3, rest);
};

export const floatValue = (value: number): Buffer => {
  const rest = Buffer.alloc(8);
  rest.writeDoubleLE(value);
  return typed(4, rest);
};

export const textValue = (value: string): Buffer => typed(5, Buffer.from(value));

/** In UTC, as the controller stores it. */
export const timeValue = (value: Date): Buffer => {
  const rest = Buffer.alloc(15);
  const milliseconds = value.getTime();
  const seconds = Math.floor(milliseconds / 1000);
  rest.writeUInt8(1, 0);
  rest.writeBigInt64BE(BigInt(seconds) + 62_135_596_800n, 1);
  rest.writeInt32BE((milliseconds - seconds * 1000) * 1_000_000, 9);
  rest.writeInt16BE(-1, 13);
  return typed(6, rest);
};

export const nilValue = (): Buffer => Buffer.of(7);

/** The key of the length of a list. */
export const LIST_SIZE_KEY = '__list__size__36484231-110c-4767-afe2-01b6e3db107a';
