/** Milliseconds as routers count time. */
export const nanoseconds = (milliseconds: number): bigint => BigInt(Math.floor(milliseconds)) * 1_000_000n;
