import type { ComponentChildren } from 'preact'

interface Props {
  readonly title: string
  readonly class: string
  readonly children: ComponentChildren
}

export function Pane({ title, class: own, children }: Props) {
  return (
    <section class={`pane ${own}`} aria-label={title}>
      <h2 class="pane-title">{title}</h2>
      {children}
    </section>
  )
}
