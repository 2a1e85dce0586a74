import { yieldToEventLoop } from '../../runtime/concurrency/event-loop.ts';

type X509 = typeof import('@peculiar/x509');

let loading: Promise<X509> | undefined;

/**
 * The library that reads and writes certificates. It is loaded lazily, because loading it doubles the start time of a controller.
 * It cannot be loaded without a polyfill for Reflect metadata, which it uses only during loading, for classes with injected dependencies;
 * it has none. Therefore, a stub that returns undefined is installed during loading.
 */
export const x509 = (): Promise<X509> => (loading ??= loadLibrary());

/** The dependencies of the library, loaded one by one: together, they would block the event loop for 0.1 s. */
const DEPENDENCIES = [
  () => import('@peculiar/asn1-schema'),
  () => import('@peculiar/asn1-x509'),
  () => import('@peculiar/asn1-cms'),
  () => import('@peculiar/asn1-rsa'),
] as const;

const noMetadata = () => undefined;

const loadLibrary = async (): Promise<X509> => {
  for (const load of DEPENDENCIES) {
    await load();
    await yieldToEventLoop();
  }
  const stubbed = ['getMetadata', 'getOwnMetadata'].filter((name) => !(name in Reflect));
  for (const name of stubbed) Object.defineProperty(Reflect, name, { value: noMetadata, configurable: true, writable: true });
  try {
    return await import('@peculiar/x509');
  } finally {
    // The real polyfill may have been loaded in the meantime.
    for (const name of stubbed) if (Reflect.get(Reflect, name) === noMetadata) Reflect.deleteProperty(Reflect, name);
  }
};
