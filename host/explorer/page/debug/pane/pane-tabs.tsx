import type { ComponentChildren } from 'preact'

export interface PaneTab {
  readonly id: string
  readonly title: string
  /** Number of items in it. */
  readonly count?: number
  readonly show: () => ComponentChildren
}

interface Props {
  readonly label: string
  readonly tabs: readonly PaneTab[]
  readonly chosen: string
  readonly onChoose: (id: string) => void
  readonly class?: string
}

/** Panes in tabs. */
export function PaneTabs({ label, tabs, chosen, onChoose, class: own = '' }: Props) {
  const current = tabs.find(({ id }) => id === chosen) ?? (tabs[0] as PaneTab)
  const onKeyDown = (event: KeyboardEvent) => {
    const distance = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (distance === 0) return
    event.preventDefault()
    const next = tabs.at((tabs.indexOf(current) + distance) % tabs.length) as PaneTab
    onChoose(next.id)
    document.getElementById(`pane-tab-${next.id}`)?.focus()
  }
  return (
    <div class={`pane-tabs ${own}`}>
      <div role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map(({ id, title, count }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`pane-tab-${id}`}
            aria-selected={id === current.id}
            aria-controls={id === current.id ? `pane-${id}` : undefined}
            tabIndex={id === current.id ? 0 : -1}
            onClick={() => onChoose(id)}
          >
            {title}
            {count !== undefined && count > 0 && <span class="count"> {count}</span>}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        key={current.id}
        id={`pane-${current.id}`}
        aria-labelledby={`pane-tab-${current.id}`}
        class="pane-panel"
      >
        {current.show()}
      </div>
    </div>
  )
}
