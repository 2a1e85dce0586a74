import { yieldToEventLoop } from '../concurrency/event-loop.ts';

type X509 = typeof import('@peculiar/x509');

let loading: Promise<X509> | undefined;

/**
 * The library that reads and writes certificates. It is loaded lazily, because loading takes as long as the rest of a start.
 * It refuses to load without a polyfill for Reflect metadata, but uses it only while it loads, to find that none of its classes
 * needs injection. Therefore, a stub that returns undefined is installed while it loads.
 */
export const x509 = (): Promise<X509> => (loading ??= load());

/** The modules of the library. Loaded together, they would block the event loop for 0.1 s. */
const PARTS = [
  () => import('@peculiar/asn1-schema'),
  () => import('@peculiar/asn1-x509'),
  () => import('@peculiar/asn1-cms'),
  () => import('@peculiar/asn1-rsa'),
] as const;

const none = () => undefined;

const load = async (): Promise<X509> => {
  for (const part of PARTS) {
    await part();
    await yieldToEventLoop();
  }
  const stubbed = ['getMetadata', 'getOwnMetadata'].filter((name) => !(name in Reflect));
  for (const name of stubbed) Object.defineProperty(Reflect, name, { value: none, configurable: true, writable: true });
  try {
    return await import('@peculiar/x509');
  } finally {
    // The real polyfill may have been loaded in between.
    for (const name of stubbed) if (Reflect.get(Reflect, name) === none) Reflect.deleteProperty(Reflect, name);
  }
};
