import { createSemaphore } from '../../../concurrency/semaphore.ts';
import type { Frame } from '../../../control-channel/frame.ts';
import { enrollmentMessages } from '../../../control-channel/messages/enrollment.ts';
import type { MessageBody } from '../../../control-channel/messages/message-type.ts';
import { ApiError } from '../../../errors/index.ts';
import { confirmCertificate, offerCertificates, type RenewalDeps } from '../../fabric/routers/verification.ts';
import type { ConnectedRouter } from '../routers/connected-routers.ts';
import { type Fabric, forRouters } from '../routers/fabric.ts';
import { type HandlerRow, handling } from '../routers/message-handlers.ts';

const { extendEnrollment, enrollmentCertificates, verifyEnrollment, enrollmentOutcome } = enrollmentMessages;

/** A router renews its certificates on its connection, which goes on: one request at a time. */
export const renewalHandlers = ({ core }: Pick<Fabric, 'core'>, { id, channel }: ConnectedRouter): readonly HandlerRow[] => {
  const turns = createSemaphore(1);
  const inPlace = <T>(work: (deps: RenewalDeps) => Promise<T>): Promise<T> =>
    turns.run(() => forRouters(core, (job) => work({ core, read: job.read, write: job.write })));

  /** The router is told what is wrong with its request; what is wrong here is noted. */
  const answering =
    <T>(work: (said: T, frame: Frame) => Promise<void>) =>
    async (said: T, frame: Frame): Promise<void> => {
      try {
        await work(said, frame);
      } catch (error) {
        if (channel.signal.aborted) return;
        const [code, message] = error instanceof ApiError ? [error.code, error.message] : ['UNHANDLED', 'try again later'];
        channel.answer(frame, enrollmentOutcome, { code, message, cause: '' });
        if (!(error instanceof ApiError)) throw error;
        core.platform.logger.warn('a router could not renew its certificates', { routerId: id, reason: message });
      }
    };

  type Extension = MessageBody<typeof extendEnrollment>;
  const extend = async ({ clientCertCsr: certCsr, serverCertCsr, requireVerification }: Extension): Promise<void> => {
    const { cert, serverCert, ca } = await inPlace(async (place) => {
      const offered = await offerCertificates(place, id, { certCsr, serverCertCsr });
      if (!requireVerification) await confirmCertificate(place, id, offered.cert);
      return offered;
    });
    if (channel.signal.aborted) return;
    channel.send(enrollmentCertificates, { clientCertPem: cert, serverCertPem: serverCert, caCertsPem: ca });
  };

  return [
    handling(extendEnrollment, answering(extend)),
    handling(
      verifyEnrollment,
      answering(async ({ clientCertPem }, frame) => {
        await inPlace((place) => confirmCertificate(place, id, clientCertPem));
        if (!channel.signal.aborted) channel.answer(frame, enrollmentOutcome, {});
      }),
    ),
  ];
};
