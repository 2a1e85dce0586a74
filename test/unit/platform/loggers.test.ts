import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { type Logger as Pino, pino } from 'pino';
import winston from 'winston';
import { memoryStorage } from '../../../adapters/storage/memory/index.ts';
import { type Logger, ManagementController, type Platform, webPlatform } from '../../../src/index.ts';
import { fastPasswordHasher } from '../../../src/runtime/platform/testing.ts';
import { until } from '../../support/until.ts';

/** What is written, as text. */
const sink = () => {
  let text = '';
  const stream = new Writable({
    write: (part, _, done) => {
      text += part;
      done();
    },
  });
  return { stream, text: () => text };
};

const inPino = () => {
  const { stream, text } = sink();
  const logger: Pino = pino(stream);
  return { logger, text };
};
const inWinston = () => {
  const { stream, text } = sink();
  const logger: winston.Logger = winston.createLogger({
    format: winston.format.json(),
    transports: [new winston.transports.Stream({ stream })],
  });
  return { logger, text };
};
const inConsole = () => {
  const { stream, text } = sink();
  return { logger: new console.Console(stream), text };
};

const passwords = fastPasswordHasher();
/** The ways in which hosts hand in a logger. */
const ways: Readonly<Record<string, (logger: Logger) => Platform>> = {
  'by webPlatform': (logger) => webPlatform({ logger, passwords }),
  'in a platform that the host puts together': (logger) => ({ ...webPlatform({ passwords }), logger }),
};

// That these are handed in without a cast is part of the proof: `tsc` carries it out.
for (const [name, open] of Object.entries({ pino: inPino, winston: inWinston, console: inConsole } satisfies Record<
  string,
  () => { logger: Logger; text(): string }
>))
  for (const [way, platformOf] of Object.entries(ways))
    test(`a logger of ${name}, handed in as it is ${way}, loses no detail, and no error`, async () => {
      const { logger, text } = open();
      const controller = await ManagementController.open({
        storage: memoryStorage(),
        platform: platformOf(logger),
        settings: { address: 'https://127.0.0.1:1280' },
        observe: () => {
          throw new RangeError('what went wrong', { cause: new Error('the reason of it') });
        },
      });
      controller.events.on('identity', async () => Promise.reject(new TypeError('the listener rejects')));
      await controller.api.identities.create({ body: { name: 'ann', type: 'User', isAdmin: false } });
      await until(
        () => text().includes('a listener failed') && text().includes('an observer threw an error; the observed call was not affected'),
      );
      for (const part of [
        'RangeError',
        'what went wrong',
        'the reason of it',
        'loggers.test.ts',
        'identity',
        'TypeError: the listener rejects',
      ])
        assert.ok(text().includes(part), `${part} in ${inspect(text())}`);
      await controller.close();
    });

test('an object that is not a logger is refused when the controller opens', async () => {
  const syslog = winston.createLogger({ levels: winston.config.syslog.levels, silent: true });
  const open = (logger: Logger) =>
    ManagementController.open({ storage: memoryStorage(), platform: { ...webPlatform({ passwords }), logger } });
  await assert.rejects(open(syslog), /the logger of the platform must have the methods error, warn and info, but has no warn/);
});
