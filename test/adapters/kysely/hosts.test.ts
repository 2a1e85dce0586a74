import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { postgresStorage } from '../../../adapters/storage/kysely/index.ts';
import { connectionStrings } from '../../../adapters/storage/kysely/postgres/hosts.ts';

const stringsOf = (text: string) => connectionStrings(text).strings;

test('a connection string is taken apart by hosts, as libpq does it', () => {
  assert.deepEqual(stringsOf('postgres://u:p%40%2C@one:5432,two:5433/db?application_name=a'), [
    'postgres://u:p%40%2C@one:5432/db?application_name=a',
    'postgres://u:p%40%2C@two:5433/db?application_name=a',
  ]);
  assert.deepEqual(stringsOf('postgresql://one,[::1]:7/db'), ['postgresql://one/db', 'postgresql://[::1]:7/db']);
  assert.deepEqual(stringsOf('postgres://u@/db?host=one,two&port=1,2'), [
    'postgres://u@/db?host=one&port=1',
    'postgres://u@/db?host=two&port=2',
  ]);
  assert.deepEqual(stringsOf('postgres://one,two/db?port=7'), ['postgres://one/db?port=7', 'postgres://two/db?port=7']);
  for (const single of ['postgres://u:p@one:5432/db', 'postgres:///db', '/var/run/postgresql db'])
    assert.deepEqual(stringsOf(single), [single]);
});

test('the parameter schema is for the adapter, not for the driver', () => {
  const { strings, schema } = connectionStrings('postgres://one,two/db?schema=app%203&application_name=a');
  assert.deepEqual([schema, ...strings], ['app 3', 'postgres://one/db?application_name=a', 'postgres://two/db?application_name=a']);
  assert.equal(connectionStrings('postgres://one/db').schema, undefined);
});

test('a schema without a name, or two that differ, are refused', () => {
  const connectionString = 'postgres://one/db?schema=one';
  assert.equal(typeof postgresStorage({ connectionString, schema: 'one' }).open, 'function');
  assert.throws(
    () => postgresStorage({ connectionString, schema: 'two' }),
    /option schema is 'two', but that of the connection string is 'one'/,
  );
  for (const options of [{ schema: '' }, {}])
    assert.throws(() => postgresStorage({ connectionString: 'postgres://one/db?schema=', ...options }), /must have a name/);
});

test('the parameter prepared is for the adapter: true or false, and as in the option', () => {
  const { strings, prepared } = connectionStrings('postgres://one/db?prepared=false&application_name=a');
  assert.deepEqual([prepared, ...strings], [false, 'postgres://one/db?application_name=a']);
  assert.equal(connectionStrings('postgres://one/db?prepared=true').prepared, true);
  assert.equal(connectionStrings('postgres://one/db').prepared, undefined);
  const connectionString = 'postgres://one/db?prepared=false';
  assert.equal(typeof postgresStorage({ connectionString, prepared: false }).open, 'function');
  assert.throws(
    () => postgresStorage({ connectionString, prepared: true }),
    /option prepared is true, but that of the connection string is false/,
  );
  assert.throws(() => postgresStorage({ connectionString: 'postgres://one/db?prepared=no' }), /prepared must be true or false.*got 'no'/);
});

test('several hosts are asked whether they take writes, one is taken as it is', () => {
  const asked = (text: string) => connectionStrings(text).serverCheck;
  assert.match(asked('postgres://one,two/db') ?? '', /default_transaction_read_only/);
  assert.equal(asked('postgres://one/db'), undefined);
  assert.equal(asked('postgres://one,two/db?target_session_attrs=any'), undefined);
  assert.match(asked('postgres://one/db?target_session_attrs=primary') ?? '', /^select not pg_is_in_recovery\(\) as value$/);
});

test('sslmode means what it means to libpq: require encrypts, and verify-full also verifies the server', () => {
  const warnings: Error[] = [];
  const warned = (warning: Error) => void warnings.push(warning);
  process.on('warning', warned);
  const tlsOf = (parameters: string): unknown => {
    const [connectionString] = stringsOf(`postgres://one/db?${parameters}`);
    const client = new pg.Client({ connectionString }) as unknown as { readonly connectionParameters: { readonly ssl: unknown } }; // not in its types
    return client.connectionParameters.ssl;
  };
  assert.deepEqual(tlsOf('sslmode=require'), { rejectUnauthorized: false });
  assert.deepEqual(tlsOf('sslmode=verify-full'), {});
  assert.equal(tlsOf('sslmode=disable'), false);
  assert.throws(() => tlsOf('sslmode=verify-ca'), /sslrootcert/);
  assert.deepEqual(tlsOf('sslmode=require&uselibpqcompat=false'), {});
  process.off('warning', warned);
  assert.deepEqual(warnings, []);
});
