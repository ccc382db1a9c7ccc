interface Props {
  readonly id: string
  readonly label: string
  /** Muted, after the label: a type or a unit. */
  readonly note?: string
  readonly start: string
  readonly example?: string
  readonly list?: string
  readonly isLong?: boolean
  readonly describedBy: string
  readonly onInput?: (text: string) => void
}

/** A field of a form that is read as a whole; its id is its name. */
export function CallField(props: Props) {
  const { id, label, note, start, example, list, isLong = false, describedBy, onInput } = props
  const shared = {
    id,
    name: id,
    defaultValue: start,
    placeholder: example,
    autocomplete: 'off',
    spellcheck: false,
    'aria-describedby': describedBy,
  } as const
  return (
    <div class="change-field">
      <label for={id}>
        {label}
        {note !== undefined && <span class="muted"> {note}</span>}
      </label>
      {isLong ? (
        <textarea rows={3} {...shared} />
      ) : (
        <input
          type="text"
          list={list}
          onInput={(event) => onInput?.(event.currentTarget.value)}
          {...shared}
        />
      )}
    </div>
  )
}
