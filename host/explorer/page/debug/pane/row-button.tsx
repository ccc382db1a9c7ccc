interface Props {
  readonly label: string
  readonly text: string
  readonly onPress: () => void
}

/**
 * A button in a grid row. The grid keeps the focus, because the row may disappear with the next step; its keys do
 * the same.
 */
export function RowButton({ label, text, onPress }: Props) {
  return (
    <button
      type="button"
      class="row-button"
      tabIndex={-1}
      aria-label={label}
      title={label}
      onMouseDown={(event) => {
        event.preventDefault()
        event.currentTarget.closest<HTMLElement>('[role=grid]')?.focus({ preventScroll: true })
      }}
      onClick={(event) => {
        event.stopPropagation()
        onPress()
      }}
    >
      {text}
    </button>
  )
}
