/** The server takes the options that the files in `deploy/` set. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { runCommand } from '../../server/commands/index.ts';
import { readOptions } from '../../server/options.ts';
import { blocks } from '../docs/documents.ts';
import { openApp } from '../support/app.ts';
import { temporaryFolder } from './child.ts';

const DOCKERFILE = readFileSync('deploy/container/Dockerfile', 'utf8').replaceAll(/\\\n\s*/g, '');
/** The instructions of the last stage, by name. */
const image = (instruction: string): readonly string[] => {
  const [stage = ''] = DOCKERFILE.split(/^FROM /m).slice(-1);
  return [...stage.matchAll(new RegExp(`^${instruction} (.*)$`, 'gm'))].map(([, text = '']) => text);
};
const imageVariables = Object.fromEntries(
  image('ENV')
    .flatMap((line) => line.split(' '))
    .map((pair) => pair.split('=', 2) as [string, string]), // a name and a value each
);

test('the variables of the image are options of the server, which then keeps everything in the volume', () => {
  const options = readOptions([], imageVariables);
  const [volume] = image('VOLUME');
  assert.deepEqual(options?.storage, { is: 'sqlite', file: 'data/controller.db' });
  assert.equal(join(image('WORKDIR')[0] ?? '', 'data'), volume);
  assert.deepEqual([options?.host, options?.health, options?.log], ['0.0.0.0', true, 'json']);
});

test('the image runs the server as its first process, as a user without a name', () => {
  assert.deepEqual(image('USER'), ['1000:1000']);
  assert.match(image('ENTRYPOINT')[0] ?? '', /^\["node", ".*\/dist\/server\/main\.js"\]$/);
  assert.deepEqual(image('STOPSIGNAL'), ['SIGTERM']);
});

test('the files that the image copies exist', () => {
  const copied = [...DOCKERFILE.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files = '']) => files.split(' '));
  assert.ok(copied.includes('deploy/container/healthcheck.mjs'));
  for (const file of copied) assert.ok(existsSync(file), file);
});

test('the controllers of the composition read their options from mounted secrets', async (t) => {
  const { services, secrets } = parse(readFileSync('deploy/container/compose.yaml', 'utf8'), { merge: true });
  const root = temporaryFolder(t);
  const [commands = ''] = blocks('docs/guides/container.md', 'sh');
  const { status, stderr } = spawnSync('sh', ['-e', '-c', commands], { cwd: root, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const folder = join(root, 'deploy/container/secrets');
  assert.deepEqual(readdirSync(folder).toSorted(), Object.keys(secrets).toSorted());
  const variables = Object.fromEntries(
    Object.entries<string>(services['controller-1'].environment).map(([name, value]) => [
      name,
      value.replace(/^\$\{\w+:-(.*)\}$/, '$1').replace('/run/secrets', folder),
    ]),
  );
  const options = readOptions(services['controller-1'].command, { ...imageVariables, ...variables });
  const secret = (name: string) => readFileSync(join(folder, name), 'utf8').trim();
  assert.deepEqual(options?.storage, { is: 'postgres', url: `postgres://overlay:${secret('postgres_password')}@postgres/overlay` });
  assert.deepEqual([options?.administrator.password, options?.waitsForMigrations], [secret('admin_password'), true]);
  assert.equal(Buffer.from(options?.secretKey ?? '', 'base64').length, 32);
  assert.equal(services['controller-1'].read_only, true);
  const [command = '', ...words] = services.migrate.command;
  assert.match((await runCommand(command, [...words, '--help'], {})).text, /--apply/);
});

const CHART = 'deploy/helm/overlay-controller';

test('the default values of the chart are valid by its schema, and unknown or wrong ones are not', async () => {
  await using app = await openApp('memory');
  const values = parse(readFileSync(`${CHART}/values.yaml`, 'utf8'));
  const schema = JSON.parse(readFileSync(`${CHART}/values.schema.json`, 'utf8'));
  // A config type validates data by a schema, too.
  const { id } = await app.controller.api.configTypes.create({ body: { name: 'values', schema } });
  let count = 0;
  const check = (data: object) =>
    app.controller.api.configs.create({ body: { name: `values ${++count}`, configTypeId: id, data: data as never } }); // any JSON object
  await check(values);
  for (const wrong of [
    { replica: 2 },
    { replicas: 0 },
    { address: 'http://overlay.example.com' },
    { address: 'https://overlay.example.com/path' },
    { secrets: { secretKey: '' } },
    { image: { repository: 'a', digest: 'sha256:1' } },
    { gateway: { enabled: true, parentRefs: [] } },
  ])
    await assert.rejects(check({ ...values, ...wrong }), { code: 'COULD_NOT_VALIDATE' }, JSON.stringify(wrong));
});

const isInstalled = (command: string) => spawnSync(command, ['version']).error === undefined;

/** The values of each variant of the chart. */
const VARIANTS: Readonly<Record<string, readonly string[]>> = {
  sqlite: [],
  postgres: ['secrets.storage=overlay-storage', 'secrets.administrator=overlay-admin'],
  'with routes and metrics': [
    ...['secrets.storage=overlay-storage', 'ingress.enabled=true', 'gateway.enabled=true', 'gateway.parentRefs[0].name=public'],
    ...[
      'metrics.enabled=true',
      'metrics.serviceMonitor=true',
      'options.sessionTimeoutMinutes=15',
      'networkPolicy.metricsFrom[0].namespaceSelector.matchLabels.name=monitoring',
    ],
  ],
};

/** The documents of a variant, as Helm renders them for a version of Kubernetes. */
const render = (variant: string, version = '1.31.0'): string => {
  const settings = VARIANTS[variant]?.flatMap((setting) => ['--set', setting]) ?? [];
  const { stdout, stderr, status } = spawnSync('helm', ['template', 'net', CHART, '--kube-version', version, ...settings], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return stdout;
};

const needsHelm = isInstalled('helm') ? false : 'helm is not installed';
const VALIDATE = 'kubernetes-validate';

for (const variant of Object.keys(VARIANTS)) {
  // Custom resources have no schema there: the monitor of Prometheus, and routes of the gateway API.
  for (const version of ['1.25', '1.37'])
    test(`the chart is valid by the schemas of Kubernetes ${version}: ${variant}`, {
      skip: needsHelm || (spawnSync(VALIDATE, ['--version']).error ? `${VALIDATE} is not installed` : false),
    }, (t) => {
      const file = join(temporaryFolder(t), 'rendered.yaml');
      writeFileSync(file, render(variant, `${version}.0`));
      const { stdout, status } = spawnSync(VALIDATE, ['--strict', '--no-warn', '--kubernetes-version', version, file], {
        encoding: 'utf8',
      });
      assert.equal(status, 0, stdout);
      assert.match(stdout, /passed for resource (deployment|statefulset)\/net/);
    });

  test(`the chart runs the server with options that it takes: ${variant}`, { skip: needsHelm }, (t) => {
    const objects = parseAllDocuments(render(variant))
      .map((document) => document.toJS())
      .filter(Boolean);
    const folder = temporaryFolder(t);
    const secrets = { 'secret-key': 'key', storage: 'postgres://overlay:a@postgres/overlay', password: 'a-good-password' };
    for (const [name, text] of Object.entries(secrets)) writeFileSync(join(folder, name), text);
    const { data } = objects.find(({ kind }) => kind === 'ConfigMap');
    writeFileSync(join(folder, 'overlay.json'), data['overlay.json']);
    const workload = objects.find(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');
    const { spec } = workload.spec.template;
    const [container] = spec.containers;
    const mounted = (path: string) => path.replace(/^\/(etc|secrets)\/.*\//, `${folder}/`);
    const variables = Object.fromEntries(container.env.map(({ name, value }: Record<string, string>) => [name, mounted(value ?? '')]));
    const options = readOptions([], { ...imageVariables, ...variables });
    assert.equal(options?.address, 'https://overlay.example.com');
    assert.equal(options?.storage.is, variant === 'sqlite' ? 'sqlite' : 'postgres');
    assert.equal(workload.kind, variant === 'sqlite' ? 'StatefulSet' : 'Deployment');
    assert.equal(options?.metrics?.port, variant === 'with routes and metrics' ? 9464 : undefined);
    assert.equal(options?.settings.sessionTimeoutMinutes, variant === 'with routes and metrics' ? 15 : undefined);
    const volumes = new Set(spec.volumes.map(({ name }: { readonly name: string }) => name)).add('data');
    for (const { name } of container.volumeMounts) assert.ok(volumes.has(name), name);
    for (const pod of objects.filter(({ kind }) => ['Deployment', 'StatefulSet', 'Job'].includes(kind))) {
      assert.equal(pod.spec.template.spec.securityContext.runAsNonRoot, true);
      for (const { securityContext } of pod.spec.template.spec.containers)
        assert.deepEqual(securityContext, {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
    }
  });
}
