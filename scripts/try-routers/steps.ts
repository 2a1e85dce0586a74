import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connectTo } from './connections.ts';
import { exampleServer, type RunningController, startController } from './controller.ts';
import type { Processes } from './processes.ts';
import { until } from './until.ts';
import { measureUsage } from './usage.ts';

interface Trial {
  readonly folder: string;
  readonly processes: Processes;
  readonly controller: RunningController;
}

/** The steps run in order, each on the state that the previous ones have left. They return their measurements. */
export const steps: Readonly<Record<string, (trial: Trial) => Promise<string | undefined>>> = {
  'the lines of the README send a line through a router': async ({ processes }) => {
    assert.match(await processes.run('bash', '-euc', linesOfReadme()), /^hello$/m);
    return undefined;
  },

  'a second router makes a link, and a client of the first reaches a host of the second': async ({ folder, processes: { run, start } }) => {
    const ziti = (...args: string[]) => run('ziti', ...args);
    const paris = readFileSync(join(folder, 'network/paris.yml'), 'utf8');
    writeFileSync(join(folder, 'lyon.yml'), paris.replaceAll('paris', 'lyon').replaceAll('6001', '6002').replaceAll('3022', '3023'));
    await ziti('edge', 'create', 'edge-router', 'lyon', '--jwt-output-file', 'lyon.jwt', '--role-attributes', 'south');
    await ziti('router', 'enroll', 'lyon.yml', '--jwt', 'lyon.jwt');
    start('lyon', 'ziti', 'router', 'run', 'lyon.yml');
    await ziti('edge', 'create', 'identity', 'guest', '--role-attributes', 'clients', '--jwt-output-file', 'guest.jwt');
    await ziti('edge', 'enroll', 'guest.jwt');
    await ziti('edge', 'delete', 'edge-router-policy', 'everyone');
    await ziti('edge', 'create', 'edge-router-policy', 'north', '--identity-roles', '@host,@client', '--edge-router-roles', '@paris');
    await ziti('edge', 'create', 'edge-router-policy', 'south', '--identity-roles', '@guest', '--edge-router-roles', '@lyon');
    await until('lyon is online', async () => /lyon\s+│\s+true/.test(await ziti('edge', 'list', 'edge-routers')));
    start('proxy', 'ziti', 'tunnel', 'proxy', '--identity', 'guest.json', 'echo:9000');
    await until('a line comes back over the link', canConnect);
    return undefined;
  },

  'routers and the controller are inspected, terminators listed, and a snapshot is taken': async ({ processes: { run } }) => {
    const output = await run('ziti', 'fabric', 'inspect', 'links', '--format', 'json');
    for (const port of [6001, 6002]) assert.match(output, new RegExp(`tls:127\\.0\\.0\\.1:${port}|${port}`));
    assert.match(
      await run('ziti', 'fabric', 'inspect', 'connected-routers'),
      /ConnectTime: "\d{4}-.*\n +Id: \S+\n +Name: (?:paris|lyon)\n/,
    );
    assert.match(await run('ziti', 'fabric', 'inspect', 'router-messaging'), /terminatorValidations:/);
    const models = await run('ziti', 'fabric', 'inspect', 'router-data-model', '--format', 'json');
    assert.equal(models.match(/"name": "clients-dial"/g)?.length, 3, 'the controller and both routers have the policy in their models');
    assert.match(await run('ziti', 'fabric', 'list', 'terminators', 'binding = "edge"'), /results: 1-1 of 1/);
    assert.match(await run('ziti', 'fabric', 'db', 'snapshot', '/not/used'), /^\d{8}-\d{6}-/);
    return undefined;
  },

  'the operator validates what routers know, and withdraws a router for a while': async ({ processes: { run } }) => {
    for (const what of ['router-links', 'router-sdk-terminators', 'router-ert-terminators', 'circuits', 'router-data-model'])
      assert.match(await run('ziti', 'fabric', 'validate', what), /started validation of 2 \w+[\s\S]*0 errors found/);
    await until('identities are known', async () =>
      /0 errors found/.test(await run('ziti', 'fabric', 'validate', 'identity-connection-statuses')),
    );
    assert.match(await run('ziti', 'fabric', 'validate', 'terminators', '--include-valid', '--fix-invalid'), /state: Valid/);
    assert.match(await run('ziti', 'fabric', 'validate', 'router-data-model', '--fix'), /0 errors found/);
    const [, id = ''] = /│ (\S+) +│ paris/.exec(await run('ziti', 'edge', 'list', 'edge-routers')) ?? [];
    for (const [command, done, precedence] of [
      ['quiesce', /router quiesced/, /failed/],
      ['dequiesce', /router dequiesced/, /default/],
    ] as const) {
      assert.match(await run('ziti', 'agent', 'router', command, '--app-id', id), done);
      assert.match(await run('ziti', 'fabric', 'list', 'terminators'), precedence);
      assert.ok(await canConnect());
    }
    return undefined;
  },

  'the controller is killed and started again: connections go on, and new ones can be made': async ({ controller }) => {
    const connection = await connectTo(9000);
    await connection.echo('before');
    const killed = Date.now();
    await controller.killAndRestart();
    assert.ok(await connection.echo('after'), 'the connection has ended');
    const answers = Date.now();
    await until('a new connection can be made', canConnect);
    connection.end();
    return `it answers after ${answers - killed} ms, a new connection after ${Date.now() - killed} ms`;
  },

  'a right that is lost ends a connection that uses it, also one that began before another restart': async ({
    controller,
    processes: { run },
  }) => {
    const connections = [await connectTo(9000)];
    await connections[0]?.echo('before');
    await pause(1000);
    await controller.killAndRestart();
    await until('a new connection can be made', canConnect);
    connections.push(await connectTo(9000));
    for (const connection of connections) await connection.echo('before');
    const began = Date.now();
    await run('ziti', 'edge', 'delete', 'service-policy', 'clients-dial');
    for (const connection of connections) await connection.ended;
    const took = Date.now() - began;
    await run(
      'ziti',
      'edge',
      'create',
      'service-policy',
      'clients-dial',
      'Dial',
      '--identity-roles',
      '#clients',
      '--service-roles',
      '@echo',
    );
    return `${took} ms after the command was started`;
  },

  'a thousand circuits at once': async ({ controller }) => {
    await until('the client may dial again', canConnect);
    const before = controller.used();
    const began = Date.now();
    const all = [];
    for (let batch = 0; batch < 20; batch++) {
      const connections = await Promise.all(Array.from({ length: 50 }, () => connectTo(9000)));
      for (const [at, connection] of connections.entries())
        assert.ok(await connection.echo(`line ${batch} ${at}`), 'a circuit was not made');
      all.push(...connections);
    }
    const took = Date.now() - began;
    for (const connection of all) connection.end();
    await pause(500);
    const after = controller.used();
    const cost =
      before &&
      after &&
      `, ${((after.processorMs - before.processorMs) / all.length).toFixed(1)} ms of the controller's processor time each`;
    return `${all.length} in ${took} ms, to a line that comes back, one after another${cost ?? ''}; the controller has ${after?.mebibytes} MiB`;
  },

  'usage tells the bytes of 100 circuits on two routers, though circuits move, a router is killed, and so is the controller': ({
    folder,
    processes,
    controller,
  }) => measureUsage(folder, processes, controller),

  'routers connect to a second controller on the database, and go on with it when the first is killed': async ({
    folder,
    processes,
    controller,
  }) => {
    const second = [...exampleServer(join(folder, 'network.db')), '--port', '1281'];
    await startController(processes, second, 1281);
    await processes.run('ziti', 'edge', 'login', '127.0.0.1:1281', '-u', 'admin', '-p', 'administrator', '-y');
    await until('both routers and their link are known to the second', async () => {
      const output = await processes.run('ziti', 'fabric', 'list', 'links');
      return /paris/.test(output) && /lyon/.test(output);
    });
    const connection = await connectTo(9000);
    await connection.echo('before');
    await controller.kill();
    assert.ok(await connection.echo('after'), 'the connection has ended');
    const began = Date.now();
    await until('a new connection can be made', canConnect);
    connection.end();
    return `a new connection after ${Date.now() - began} ms`;
  },
};

/** True if a line is echoed over a new connection. */
const canConnect = async (): Promise<boolean> => {
  const connection = await connectTo(9000);
  const isBack = (await connection.echo('new')) !== undefined;
  connection.end();
  return isBack;
};

/** The code block of the README that is marked as run by this script. */
const linesOfReadme = (): string => {
  const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
  const [, block = assert.fail('the README has no such lines')] = readme.split('`npm run try:routers` runs these lines. -->\n```sh\n');
  return block.slice(0, block.indexOf('```'));
};
