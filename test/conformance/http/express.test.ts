import express from 'express';
import { expressHandler } from '../../../adapters/http/express.ts';
import { httpSuite } from '../http.suite.ts';

httpSuite({
  name: 'Express',
  application: (controller, mount) =>
    express()
      .use((_, res, next) => next(void res.setHeader('x-host', 'yes')))
      .use(mount, expressHandler(controller))
      .use((_, res) => void res.sendStatus(418)),
});

const READS = 'the parser reads bodies first, and refuses them in its own way';

httpSuite({
  name: 'Express, behind its body parsers',
  application: (controller, mount) =>
    express()
      .use((_, res, next) => next(void res.setHeader('x-host', 'yes')))
      .use(express.json(), express.text({ type: ['text/*', 'application/x-pem-file'] }), express.urlencoded(), express.raw())
      .use(mount, expressHandler(controller))
      .use((_, res) => void res.sendStatus(418))
      .set('env', 'test'),
  deviations: [
    { test: 'what is no JSON is 400 in the envelope', reason: READS },
    { test: 'whatever else comes with GET and DELETE is ignored', reason: READS },
    { test: 'the session is checked before a body is asked for', reason: READS },
    { test: 'a body that is announced above the limit is 413 before any of it comes', reason: READS },
    { test: 'an endless body is 413 in the envelope while it is being sent', reason: READS },
    { test: 'a number out of range is 400', reason: 'JSON.parse makes it endless, and JSON has no such number: it arrives as null' },
  ],
});
