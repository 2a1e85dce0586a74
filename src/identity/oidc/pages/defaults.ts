import type { ProviderPages } from '../../../call/provider.ts';

/** The default colors and texts of the login pages. The colors have a contrast of at least 7:1 (WCAG 2.2, AAA). */
export const DEFAULT_PAGES: ProviderPages = {
  name: 'Overlay network',
  language: 'en',
  frameAncestors: [],
  colors: { accent: '#0b4a8f', background: '#eef1f5', surface: '#ffffff', text: '#1b2430' },
  texts: {
    signIn: 'Sign in',
    username: 'Username',
    password: 'Password',
    submit: 'Continue',
    withCertificate: 'Use a certificate instead',
    withPassword: 'Use a password instead',
    certificateHint: 'Your browser sends the certificate that you have chosen for this site.',
    tokenHint: 'This step requires a token of an identity provider, sent by a program: POST it in the header Authorization.',
    refused: 'Sign-in failed. Check your details and try again.',
    codeTitle: 'Enter your code',
    code: 'Code',
    codeHint: 'The 6-digit code that your authenticator app shows, or one of your recovery codes.',
    codeRefused: 'That code is not valid. Each code works once, and only for a short time.',
    enrollTitle: 'Set up your authenticator app',
    enrollHint: 'To sign in here, you need a code from an authenticator app on your phone. You have not set one up yet.',
    enrollStart: 'Set up now',
    enrollScan: 'Scan this picture with your authenticator app.',
    enrollPicture: 'QR code with the key for your authenticator app',
    enrollOpen: 'Open the app on this device',
    enrollSecret: 'Or type this key into the app:',
    enrollRecovery: 'Keep these recovery codes in a safe place. Each signs you in once if you lose your phone.',
    enrollCodeHint: 'The 6-digit code that the app shows now.',
    enrollAgain: 'Start again',
    enrollElsewhere: 'You are setting up an authenticator app in another browser. Finish there, or try again in ten minutes.',
    loggedOut: 'You are signed out.',
    failed: 'This sign-in cannot continue. Go back to the application, and start again.',
    otherBrowser: 'The sign-in was begun in another browser or program, and must be completed there, or the browser sent no cookie.',
  },
};

/** True if a text is `#rgb` or `#rrggbb`, so that nothing else can get into the style sheet. */
export const isColor = (text: unknown): text is string => typeof text === 'string' && /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(text);
