import { Session } from 'node:inspector/promises';

const uncounted = {
  of: async (work: () => unknown): Promise<number> => {
    await work();
    return 0;
  },
  async [Symbol.asyncDispose]() {},
};

/**
 * Counts how often this process runs a block of the project's sources, such as the body of a function or of a loop. Unlike time, the count
 * is the same on every machine. It does not contain what the engine does by itself, e.g. for a regular expression.
 */
export const stepCounter = async () => {
  // V8 counts once for all: where `npm run mutate` collects the counts, they are left to it, and everything is free.
  if (process.env.COUNTS_ARE_TAKEN) return uncounted;
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  /** The steps since the last time. */
  const taken = async (): Promise<number> => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const own = result.filter(({ url }) => /\/(src|adapters|testing)\//.test(url) && !url.includes('/node_modules/'));
    return own.flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges)).reduce((sum, { count }) => sum + count, 0);
  };
  return {
    /** The steps of some work. */
    of: async (work: () => unknown): Promise<number> => {
      await taken();
      await work();
      return taken();
    },
    async [Symbol.asyncDispose]() {
      await session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
};
