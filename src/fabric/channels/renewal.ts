import { ApiError } from '../../contract/errors/index.ts';
import { createSemaphore } from '../../runtime/concurrency/semaphore.ts';
import type { Logger } from '../../runtime/platform/platform.ts';
import type { Frame } from '../control-channel/frame.ts';
import { enrollmentMessages } from '../control-channel/messages/enrollment.ts';
import type { MessageBody } from '../control-channel/messages/message-type.ts';
import type { ConnectedRouter } from '../registry/connected-routers.ts';
import { type Fabric, forRouters } from '../registry/fabric.ts';
import { type HandlerEntry, handle } from '../registry/message-handlers.ts';
import { confirmCertificate, offerCertificates, type VerificationDependencies } from '../routers/verification.ts';

const { extendEnrollment, enrollmentCertificates, verifyEnrollment, enrollmentOutcome } = enrollmentMessages;
type Extension = MessageBody<typeof extendEnrollment>;
type Verification = MessageBody<typeof verifyEnrollment>;

/** Handlers that renew the certificates of a connected router, one request at a time. */
export const renewalHandlers = ({ core }: Pick<Fabric, 'core'>, router: ConnectedRouter): readonly HandlerEntry[] => {
  const { id, channel } = router;
  const mutex = createSemaphore(1);
  const run = <T>(work: (dependencies: VerificationDependencies) => Promise<T>): Promise<T> =>
    mutex.run(() => forRouters(core, (job) => work({ core, read: job.read, write: job.write })));

  const extend = async ({ clientCertCsr: certCsr, serverCertCsr, requireVerification }: Extension): Promise<void> => {
    const { cert, serverCert, ca } = await run(async (dependencies) => {
      const offered = await offerCertificates(dependencies, id, { certCsr, serverCertCsr });
      if (!requireVerification) await confirmCertificate(dependencies, id, offered.cert);
      return offered;
    });
    if (channel.signal.aborted) return;
    channel.send(enrollmentCertificates, { clientCertPem: cert, serverCertPem: serverCert, caCertsPem: ca });
  };
  const verify = async ({ clientCertPem }: Verification, frame: Frame): Promise<void> => {
    await run((dependencies) => confirmCertificate(dependencies, id, clientCertPem));
    if (!channel.signal.aborted) channel.answer(frame, enrollmentOutcome, {});
  };

  const { logger } = core.platform;
  return [handle(extendEnrollment, answerErrors(router, logger, extend)), handle(verifyEnrollment, answerErrors(router, logger, verify))];
};

/** Wraps a handler so that the router receives an answer if it fails. The answer contains a reason only if the request was refused. */
const answerErrors =
  <T>({ id, channel }: ConnectedRouter, logger: Logger, work: (body: T, frame: Frame) => Promise<void>) =>
  async (body: T, frame: Frame): Promise<void> => {
    try {
      await work(body, frame);
    } catch (error) {
      if (channel.signal.aborted) return;
      const [code, message] = error instanceof ApiError ? [error.code, error.message] : ['UNHANDLED', 'try again later'];
      channel.answer(frame, enrollmentOutcome, { code, message, cause: '' });
      if (!(error instanceof ApiError)) throw error;
      logger.warn('a router was refused new certificates, and keeps its current ones', { routerId: id, reason: message });
    }
  };
