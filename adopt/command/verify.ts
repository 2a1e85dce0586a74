import { createClient } from '../../client/index.ts';
import type { OptionValues } from '../../server/arguments.ts';
import type { Outcome } from '../../server/commands/command.ts';
import { findNetwork, withController } from '../../server/commands/network.ts';
import { printable, StartFailure } from '../../server/failure.ts';
import type { Environment } from '../../server/sources.ts';
import { shownAddress } from '../../src/contract/wire/shown-address.ts';
import { type Comparison, compareNetworks } from './compare.ts';

/** The exit status if the networks differ. */
const DIFFERENT = 2;

/** Compares the former controller, which runs, with the adopted network in a store. */
export const verifyAdoption = async (
  url: string,
  given: OptionValues<'storage' | 'data-folder' | 'secret-key-file' | 'username'>,
  environment: Environment,
): Promise<Outcome> => {
  const { protocol, origin, pathname, href } = URL.parse(url) ?? {};
  if (protocol !== 'https:' || href !== `${origin}${pathname}`)
    throw new StartFailure(
      `--verify must be the address of the former controller, such as https://controller.example.org:1280, without a name or password, got '${shownAddress(url)}'`,
    );
  const network = await findNetwork(given, environment);
  const username = given.get('username') ?? 'admin';
  const password = environment.FORMER_PASSWORD;
  if (!password)
    throw new StartFailure(`--verify needs the password of ${username} at the former controller in the variable FORMER_PASSWORD`);
  const former = createClient({ baseUrl: url, credentials: { username, password } });
  const comparison = await withController(network, ({ api }) => compareNetworks(former, api, Date.now()));
  return { text: comparisonText(comparison), status: comparison.differences.length === 0 ? 0 : DIFFERENT };
};

/** A comparison for operators: what was compared, and each difference. */
export const comparisonText = ({ counts, differences, hasMore }: Comparison): string =>
  [
    ...Object.entries(counts).map(([collection, count]) => `${collection}: ${count} compared`),
    ...differences.map(
      ({ collection, name, id, what, former, adopted }) =>
        `DIFFERENT ${collection} ${printable(name.slice(0, 200))} (${printable(id.slice(0, 200))}): ${printable(what.slice(0, 200))}${former === undefined ? '' : `: ${printable(former)}, adopted as ${printable(adopted ?? '')}`}`,
    ),
    ...(hasMore ? ['... and more'] : []),
    differences.length === 0 ? 'no difference' : `${differences.length} differences`,
  ].join('\n');
