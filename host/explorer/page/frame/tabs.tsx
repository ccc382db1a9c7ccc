import { useRef } from 'preact/hooks'
import { lookup } from '../../../base/lookup.ts'

interface Props<Key extends string> {
  readonly label: string
  readonly tabs: readonly { readonly key: Key; readonly name: string }[]
  readonly selected: Key
  readonly onSelect: (key: Key) => void
}

/** ARIA tabs: arrow keys move and select, Tab leads into the panel. */
export function Tabs<Key extends string>({ label, tabs, selected, onSelect }: Props<Key>) {
  const list = useRef<HTMLDivElement>(null)
  const onKeyDown = (event: KeyboardEvent) => {
    const at = tabs.findIndex(({ key }) => key === selected)
    const targets: Readonly<Record<string, number>> = {
      ArrowRight: (at + 1) % tabs.length,
      ArrowLeft: (at - 1 + tabs.length) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    }
    const target = tabs[lookup(targets, event.key) ?? -1]
    if (target === undefined) return
    event.preventDefault()
    onSelect(target.key)
    list.current?.querySelector<HTMLElement>(`#tab-${target.key}`)?.focus()
  }
  return (
    <div ref={list} class="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {tabs.map(({ key, name }) => (
        <button
          key={key}
          type="button"
          role="tab"
          id={`tab-${key}`}
          aria-selected={key === selected}
          aria-controls={key === selected ? `panel-${key}` : undefined}
          tabIndex={key === selected ? 0 : -1}
          onClick={() => onSelect(key)}
        >
          {name}
        </button>
      ))}
    </div>
  )
}
