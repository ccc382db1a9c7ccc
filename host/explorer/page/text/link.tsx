import type { ComponentChildren } from 'preact'
import { useExplorer } from '../state/explorer-context.ts'
import type { PartialView } from '../view/view.ts'

interface Props {
  readonly to: PartialView
  readonly class?: string
  readonly title?: string
  readonly children: ComponentChildren
}

/** Links to another view: an anchor with the view's address, followed without reloading the page. */
export function Link({ to, children, ...rest }: Props) {
  const { location } = useExplorer()
  return (
    <a
      {...rest}
      href={location.href(to)}
      onClick={(event) => {
        const isPlain =
          event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
        if (!isPlain) return
        event.preventDefault()
        location.go(to)
      }}
    >
      {children}
    </a>
  )
}
