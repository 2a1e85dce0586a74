/** Lets other tasks of the event loop run before it resolves. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
