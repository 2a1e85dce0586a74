/** Milliseconds of processor time that some synchronous work takes: on a busy machine it takes longer, and costs the same. */
export const processorTime = (work: () => unknown): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};
