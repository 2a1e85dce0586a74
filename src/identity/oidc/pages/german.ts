import type { ProviderPages } from '../../../call/provider.ts';

/** The texts of the login pages in German. */
export const GERMAN: ProviderPages['texts'] = {
  signIn: 'Anmelden',
  username: 'Benutzername',
  password: 'Passwort',
  submit: 'Weiter',
  withCertificate: 'Stattdessen ein Zertifikat verwenden',
  withPassword: 'Stattdessen ein Passwort verwenden',
  certificateHint: 'Ihr Browser sendet das Zertifikat, das Sie für diese Website ausgewählt haben.',
  tokenHint:
    'Für diesen Schritt ist ein Token eines Identitätsanbieters nötig, das ein Programm sendet: als POST mit dem Header Authorization.',
  refused: 'Die Anmeldung ist fehlgeschlagen. Prüfen Sie Ihre Angaben, und versuchen Sie es noch einmal.',
  codeTitle: 'Code eingeben',
  code: 'Code',
  codeHint: 'Der sechsstellige Code, den Ihre Authenticator-App anzeigt, oder einer Ihrer Wiederherstellungscodes.',
  codeRefused: 'Dieser Code ist ungültig. Jeder Code gilt nur einmal und nur kurze Zeit.',
  enrollTitle: 'Authenticator-App einrichten',
  enrollHint:
    'Um sich hier anzumelden, brauchen Sie einen Code aus einer Authenticator-App auf Ihrem Telefon. Sie haben noch keine eingerichtet.',
  enrollStart: 'Jetzt einrichten',
  enrollScan: 'Scannen Sie dieses Bild mit Ihrer Authenticator-App.',
  enrollPicture: 'QR-Code mit dem Schlüssel für Ihre Authenticator-App',
  enrollOpen: 'App auf diesem Gerät öffnen',
  enrollSecret: 'Oder geben Sie diesen Schlüssel in der App ein:',
  enrollRecovery:
    'Bewahren Sie diese Wiederherstellungscodes sicher auf. Mit jedem können Sie sich einmal anmelden, wenn Sie Ihr Telefon verlieren.',
  enrollCodeHint: 'Der sechsstellige Code, den die App jetzt anzeigt.',
  enrollAgain: 'Von vorn beginnen',
  enrollElsewhere:
    'Sie richten gerade in einem anderen Browser eine Authenticator-App ein. Schließen Sie das dort ab, oder versuchen Sie es in zehn Minuten noch einmal.',
  loggedOut: 'Sie sind abgemeldet.',
  failed: 'Diese Anmeldung kann nicht fortgesetzt werden. Gehen Sie zurück zur Anwendung, und beginnen Sie neu.',
  otherBrowser:
    'Die Anmeldung wurde in einem anderen Browser oder Programm begonnen und muss dort abgeschlossen werden, oder der Browser hat kein Cookie gesendet.',
};
