import { type LookupAddress, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { type AddressRule, OutboundRefused } from '../../src/adapter-kit.ts';

/** Resolves a name to its addresses, like `dns.lookup` with the option `all`. */
export type Resolve = (name: string, callback: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void) => void;

export const resolveBySystem: Resolve = (name, callback) =>
  lookup(name, { all: true }, (error, addresses) => callback(error, addresses ?? []));

/** Creates a `lookup` for sockets that returns permitted addresses only. It fails with `OutboundRefused` if the name has none. */
export const permittedLookup =
  (resolve: Resolve, permits: AddressRule): LookupFunction =>
  (name, { all }, callback) =>
    resolve(name, (error, addresses) => {
      const permitted = addresses.filter(({ address }) => permits(address));
      const [first] = permitted;
      if (error) callback(error, []);
      else if (!first)
        callback(
          new OutboundRefused(`requests to ${name} are not allowed: it resolves to ${addresses.map(({ address }) => address).join(', ')}`),
          [],
        );
      else if (all) callback(null, permitted);
      else callback(null, first.address, first.family);
    });
