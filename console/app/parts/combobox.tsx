import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../texts.ts';

const t = texts.pickers;

export interface ComboboxOption {
  /** Unique among the options. */
  readonly key: string;
  readonly label: string;
  /** Said beside the label, such as the type of a config. */
  readonly detail?: string | undefined;
}

/** Attributes of the text field beyond those of the pattern. */
interface FieldAttributes {
  readonly required?: boolean;
  readonly 'aria-describedby'?: string | undefined;
  readonly 'aria-invalid'?: true;
  readonly onFocus?: (event: { readonly currentTarget: HTMLInputElement }) => void;
  readonly onPaste?: (event: ClipboardEvent) => void;
}

interface Props<O extends ComboboxOption> {
  readonly id: string;
  /** The name of the list of options. */
  readonly listLabel: string;
  readonly text: string;
  readonly setText: (text: string) => void;
  /** The options for the present text; undefined while they are being read. */
  readonly options: readonly O[] | undefined;
  readonly choose: (option: O) => void;
  /** True if the first option is the active one while someone types, so that Enter takes it. */
  readonly activatesFirst?: boolean;
  /** True if the list stays open, as in a dialog that has nothing else. */
  readonly staysOpen?: boolean;
  /** False if the number of options is not announced: in a field where most texts have none. */
  readonly saysNumber?: boolean;
  /** Called when the field loses the focus. */
  readonly leave?: () => void;
  /** Keys that neither move in the list nor take an option. */
  readonly press?: (event: KeyboardEvent) => void;
  /** The reason why the text is not a choice: the form is not sent then. Empty for none. */
  readonly invalidText?: string;
  /** Said below the options, such as how many more there are. */
  readonly note?: ComponentChildren;
  readonly input?: FieldAttributes;
}

/**
 * A text field with a list of options, by the pattern of the ARIA Authoring Practices: the focus stays in the field, arrow keys move in the
 * list, Enter takes the active option, Escape closes the list.
 */
export const Combobox = <O extends ComboboxOption>(props: Props<O>) => {
  const {
    id,
    listLabel,
    text,
    setText,
    options,
    choose,
    activatesFirst = false,
    leave,
    invalidText = '',
    saysNumber = true,
    staysOpen = false,
    note,
    input,
  } = props;
  const [wasOpened, setOpen] = useState(false);
  const isOpen = staysOpen || wasOpened;
  const [active, setActive] = useState(-1);
  const field = useRef<HTMLInputElement>(null);
  const shown = isOpen && options ? options : [];
  const current = Math.min(active, shown.length - 1);
  const first = activatesFirst && text.trim() !== '' ? 0 : -1;
  useLayoutEffect(() => setActive(first), [text, options === undefined]);
  useLayoutEffect(() => document.getElementById(`${id}-option-${current}`)?.scrollIntoView({ block: 'nearest' }), [current]);
  useLayoutEffect(() => field.current?.setCustomValidity(invalidText), [invalidText]);
  const take = (option: O): void => {
    choose(option);
    setActive(-1);
    setOpen(false);
    field.current?.focus();
  };
  const move = (step: number, isAlternate: boolean): void => {
    const count = options?.length ?? 0;
    setActive(isAlternate ? -1 : stepped(isOpen ? current : -1, step, count));
    setOpen(!(isOpen && isAlternate));
  };
  const press = (event: KeyboardEvent): void => {
    const { key, altKey } = event;
    const option = shown[current];
    if (key === 'ArrowDown' || key === 'ArrowUp') move(key === 'ArrowDown' ? 1 : -1, altKey);
    else if (key === 'Enter' && option) take(option);
    else if (key === 'Escape' && shown.length > 0 && !staysOpen) setOpen(false);
    else {
      if (key === 'Enter') setOpen(false);
      props.press?.(event);
      return;
    }
    event.preventDefault();
  };
  return (
    <div class="combo">
      <input
        type="text"
        autocomplete="off"
        spellcheck={false}
        {...input}
        id={id}
        ref={field}
        role="combobox"
        aria-expanded={shown.length > 0}
        aria-controls={`${id}-options`}
        aria-autocomplete="list"
        aria-activedescendant={shown[current] ? `${id}-option-${current}` : undefined}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setOpen(true);
        }}
        onClick={() => setOpen(true)}
        onKeyDown={press}
        onBlur={() => {
          setOpen(false);
          leave?.();
        }}
      />
      <div class="options" hidden={shown.length === 0}>
        <div id={`${id}-options`} role="listbox" aria-label={listLabel}>
          {shown.map((option, index) => (
            // The pointer chooses without taking the focus; the keyboard chooses in the field.
            <div
              id={`${id}-option-${index}`}
              key={option.key}
              role="option"
              tabIndex={-1}
              aria-selected={index === current}
              onMouseDown={(event) => {
                event.preventDefault();
                take(option);
              }}
            >
              <span>{option.label}</span>
              {option.detail && <span class="muted small"> {option.detail}</span>}
            </div>
          ))}
        </div>
        {note && <p class="muted small">{note}</p>}
      </div>
      <p role="status" class="unseen">
        {saysNumber && isOpen && text !== '' && options && t.found(options.length)}
      </p>
    </div>
  );
};

/** The next position in a list, from its end to its start and back. */
const stepped = (from: number, step: number, length: number): number =>
  from === -1 && step === -1 ? length - 1 : (from + step + length) % length;
