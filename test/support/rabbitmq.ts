/** A RabbitMQ server of its own, on free ports of the loopback interface. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from 'amqplib';
import { freePort } from '../examples/child.ts';

/** As Debian's package installs it; the program in the PATH would change the user. */
const PROGRAM = '/usr/lib/rabbitmq/bin/rabbitmq-server';

/** For `test` and `describe`. */
export const needsRabbitMq = { skip: existsSync(PROGRAM) ? false : 'RabbitMQ is not installed: apt-get install rabbitmq-server' };

/** PEM files for TLS. */
export interface BrokerCertificate {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** Starts the broker, with a listener for TLS if it gets a certificate. */
export const startRabbitMq = async (certificate?: BrokerCertificate) => {
  const folder = await mkdtemp(join(tmpdir(), 'overlay-rabbitmq-'));
  const [port, distribution, names, tls] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const file = (name: string) => join(folder, name);
  const lines = [`listeners.tcp.local = 127.0.0.1:${port}`];
  if (certificate) {
    for (const [name, text] of Object.entries(certificate)) await writeFile(file(`${name}.pem`), text);
    lines.push(
      `listeners.ssl.local = 127.0.0.1:${tls}`,
      `ssl_options.cacertfile = ${file('ca.pem')}`,
      `ssl_options.certfile = ${file('cert.pem')}`,
      `ssl_options.keyfile = ${file('key.pem')}`,
    );
  }
  await writeFile(file('rabbitmq.conf'), `${lines.join('\n')}\n`);
  await writeFile(file('enabled_plugins'), '[].\n');
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    ERL_EPMD_PORT: String(names),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_NODENAME: 'overlay@localhost',
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(distribution),
    RABBITMQ_CONFIG_FILE: file('rabbitmq'),
    RABBITMQ_ENABLED_PLUGINS_FILE: file('enabled_plugins'),
    RABBITMQ_MNESIA_BASE: file('data'),
    RABBITMQ_LOG_BASE: file('log'),
    RABBITMQ_PID_FILE: file('pid'),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '+S 1',
  };
  const url = `amqp://guest:guest@127.0.0.1:${port}`;
  // Otherwise, the broker would start one that stays when it ends.
  const registry = spawn('epmd', [], { env, stdio: 'ignore' });
  const broker: { process?: ChildProcess } = {};
  const start = async () => {
    const child = spawn(PROGRAM, { env, stdio: 'ignore', detached: true });
    broker.process = child;
    while (!(await answers(url))) {
      if (child.exitCode !== null) throw new Error(`RabbitMQ ended with ${child.exitCode}`);
      await pause(100);
    }
  };
  const stop = async () => {
    const child = broker.process;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    process.kill(-child.pid, 'SIGKILL');
    await ended;
  };
  await start();
  return {
    url,
    tlsUrl: `amqps://guest:guest@localhost:${tls}`,
    start,
    /** Kills it; durable queues and their messages are there after `start`. */
    stop,
    /** Takes the messages of a queue, in order, until one satisfies the condition. */
    taking: async (queue: string, isLast: (message: Record<string, unknown>) => boolean) => {
      const connection = await connect(url);
      connection.on('error', () => undefined);
      const channel = await connection.createChannel();
      await channel.assertQueue(queue, { durable: true });
      const taken: Record<string, unknown>[] = [];
      while (!taken.some(isLast)) {
        const message = await channel.get(queue, { noAck: true });
        if (message) taken.push(JSON.parse(message.content.toString()));
        else await pause(20);
      }
      await connection.close();
      return taken;
    },
    [Symbol.asyncDispose]: async () => {
      await stop();
      registry.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** True once the broker accepts clients. It opens its port earlier. */
const answers = async (url: string): Promise<boolean> => {
  try {
    await (await connect(url)).close();
    return true;
  } catch {
    return false;
  }
};
