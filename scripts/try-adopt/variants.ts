/** Properties of networks in production that the smallest network lacks. */
export const VARIANTS = {
  cluster: 'the controller is the only member of a cluster, which takes a snapshot every five seconds; always so in releases 2.x',
  signer: 'certificates are signed below a root of their own',
  hosts: 'routers reach the control plane under another host name, with a server certificate of another root',
  many: 'there are 600 more identities and services, so that lists have pages',
} as const;

export type Variant = keyof typeof VARIANTS;
export type Variants = ReadonlySet<Variant>;

/**
 * @param names variants, separated by commas
 * @throws TypeError if a variant is unknown
 */
export const variantsIn = (names: string): Variants =>
  new Set(
    names
      .split(',')
      .filter(Boolean)
      .map((name) => {
        if (!isVariant(name)) throw new TypeError(`FORMER takes ${Object.keys(VARIANTS).join(', ')}, got '${name}'`);
        return name;
      }),
  );

const isVariant = (name: string): name is Variant => Object.hasOwn(VARIANTS, name);
