/**
 * Connection strings of libpq that name several hosts, and their parameters for the adapter:
 * https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS
 */

/** The values of `target_session_attrs`, as a query whose `value` is true on a matching server; undefined: every server matches. */
const TARGETS: Readonly<Record<string, string | undefined>> = {
  any: undefined,
  'read-write': "select not pg_is_in_recovery() and current_setting('default_transaction_read_only') = 'off' as value",
  primary: 'select not pg_is_in_recovery() as value',
};

/**
 * The values of `sslmode` that `pg` treats like `verify-full`, with a deprecation warning, unless it is asked to treat them like libpq:
 * `require` encrypts, and verifies the authority of the server only if `sslrootcert` is given.
 */
const LIBPQ_MODES: ReadonlySet<string> = new Set(['prefer', 'require', 'verify-ca']);

export interface Hosts {
  /** One connection string per host, in order, in the format that `pg` accepts. */
  readonly strings: readonly [string, ...string[]];
  /** The query that checks a new connection: its `value` is true on a matching server. Undefined if every server matches. */
  readonly serverCheck: string | undefined;
  /** The parameter `schema`. */
  readonly schema: string | undefined;
  /** The parameter `prepared`. */
  readonly prepared: boolean | undefined;
}

/**
 * Splits a connection string into one per host. Several hosts are written as `postgres://user:password@one:5432,two:5433/database`, or as
 * `?host=one,two&port=5432,5433`; then `target_session_attrs` defaults to `read-write`, because a controller has to write.
 * @throws TypeError if a controller cannot work with `target_session_attrs`, if the numbers of hosts and ports differ, or if `prepared` is
 * not true or false
 */
export const connectionStrings = (connectionString: string): Hosts => {
  const [, scheme, userinfo = '', authority = '', path = '', query = ''] =
    /^(postgres(?:ql)?:\/\/)([^/?]*@)?([^/?@]*)(\/[^?]*)?(?:\?(.*))?$/s.exec(connectionString) ?? [];
  if (scheme === undefined) return { strings: [connectionString], serverCheck: undefined, schema: undefined, prepared: undefined };
  const parameters = new URLSearchParams(query);
  const hostParameter = parameters.get('host')?.split(',');
  const hosts = hostParameter ?? authority.split(',');
  const ports = parameters.get('port')?.split(',') ?? [];
  if (ports.length > 1 && ports.length !== hosts.length)
    throw new TypeError(
      `the connection string has ${hosts.length} hosts and ${ports.length} ports: specify a port for each host, or one for all`,
    );
  const target = parameters.get('target_session_attrs') ?? (hosts.length > 1 ? 'read-write' : 'any');
  if (!Object.hasOwn(TARGETS, target))
    throw new TypeError(
      `target_session_attrs must be ${Object.keys(TARGETS).join(', ')}, got '${target}': a controller must be able to write`,
    );
  const schema = parameters.get('schema') ?? undefined;
  const prepared = parameters.get('prepared') ?? undefined;
  if (prepared !== undefined && prepared !== 'true' && prepared !== 'false')
    throw new TypeError(`prepared must be true or false in the connection string, got '${prepared}'`);
  if (LIBPQ_MODES.has(parameters.get('sslmode') ?? '') && !parameters.has('uselibpqcompat')) parameters.set('uselibpqcompat', 'true');
  for (const name of ['target_session_attrs', 'schema', 'prepared']) parameters.delete(name);
  const stringFor = (index: number): string => {
    const search = new URLSearchParams(parameters);
    if (hostParameter) search.set('host', hostParameter[index] ?? '');
    if (ports.length > 0) search.set('port', ports[index] ?? ports[0] ?? '');
    const rest = search.size > 0 ? `?${search}` : '';
    return `${scheme}${userinfo}${hostParameter ? authority : (hosts[index] ?? '')}${path}${rest}`;
  };
  const [first, ...others] = hosts.map((_, index) => stringFor(index));
  return {
    strings: [first ?? connectionString, ...others],
    serverCheck: TARGETS[target],
    schema,
    prepared: prepared === undefined ? undefined : prepared === 'true',
  };
};
