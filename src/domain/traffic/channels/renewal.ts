import { createSemaphore } from '../../../concurrency/semaphore.ts';
import type { Frame } from '../../../control-channel/frame.ts';
import { enrollmentMessages } from '../../../control-channel/messages/enrollment.ts';
import type { MessageBody } from '../../../control-channel/messages/message-type.ts';
import { ApiError } from '../../../errors/index.ts';
import { confirmCertificate, offerCertificates, type VerificationDependencies } from '../../fabric/routers/verification.ts';
import type { ConnectedRouter } from '../routers/connected-routers.ts';
import { type Fabric, forRouters } from '../routers/fabric.ts';
import { type HandlerEntry, handle } from '../routers/message-handlers.ts';

const { extendEnrollment, enrollmentCertificates, verifyEnrollment, enrollmentOutcome } = enrollmentMessages;

/** Handlers that renew the certificates of a connected router, one request at a time. */
export const renewalHandlers = ({ core }: Pick<Fabric, 'core'>, { id, channel }: ConnectedRouter): readonly HandlerEntry[] => {
  const mutex = createSemaphore(1);
  const run = <T>(work: (dependencies: VerificationDependencies) => Promise<T>): Promise<T> =>
    mutex.run(() => forRouters(core, (job) => work({ core, read: job.read, write: job.write })));

  /** Wraps a handler so that errors are answered. The router receives a reason only for refusals. */
  const answeringErrors =
    <T>(work: (body: T, frame: Frame) => Promise<void>) =>
    async (body: T, frame: Frame): Promise<void> => {
      try {
        await work(body, frame);
      } catch (error) {
        if (channel.signal.aborted) return;
        const [code, message] = error instanceof ApiError ? [error.code, error.message] : ['UNHANDLED', 'try again later'];
        channel.answer(frame, enrollmentOutcome, { code, message, cause: '' });
        if (!(error instanceof ApiError)) throw error;
        core.platform.logger.warn('a router was refused new certificates, and keeps those it has', { routerId: id, reason: message });
      }
    };

  type Extension = MessageBody<typeof extendEnrollment>;
  const extend = async ({ clientCertCsr: certCsr, serverCertCsr, requireVerification }: Extension): Promise<void> => {
    const { cert, serverCert, ca } = await run(async (dependencies) => {
      const offered = await offerCertificates(dependencies, id, { certCsr, serverCertCsr });
      if (!requireVerification) await confirmCertificate(dependencies, id, offered.cert);
      return offered;
    });
    if (channel.signal.aborted) return;
    channel.send(enrollmentCertificates, { clientCertPem: cert, serverCertPem: serverCert, caCertsPem: ca });
  };

  return [
    handle(extendEnrollment, answeringErrors(extend)),
    handle(
      verifyEnrollment,
      answeringErrors(async ({ clientCertPem }, frame) => {
        await run((dependencies) => confirmCertificate(dependencies, id, clientCertPem));
        if (!channel.signal.aborted) channel.answer(frame, enrollmentOutcome, {});
      }),
    ),
  ];
};
