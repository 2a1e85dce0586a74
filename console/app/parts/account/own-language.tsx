import { chooseLanguage, language } from '../../language.ts';
import { settings } from '../../settings.ts';
import { texts } from '../../texts.ts';

const t = texts.account.language;

/** A language in its own words. */
const nameOf = (tag: string): string => new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;

/** The choice of the language, which this browser keeps. */
export const OwnLanguage = () => (
  <section aria-labelledby="own-language">
    <h2 id="own-language">{t.title}</h2>
    <div class="field">
      <label for="language">{t.label}</label>
      <select
        id="language"
        aria-describedby="language-hint"
        value={language}
        onChange={({ currentTarget }) => chooseLanguage(currentTarget.value)}
      >
        {settings.languages.map((tag) => (
          <option key={tag} value={tag} lang={tag}>
            {nameOf(tag)}
          </option>
        ))}
      </select>
      <p id="language-hint" class="muted small">
        {t.hint}
      </p>
    </div>
  </section>
);
