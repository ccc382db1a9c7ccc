import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

interface Props {
  readonly onFiles: (files: readonly File[]) => void
}

/** Accepts files dropped anywhere on the page, and shows a hint while they are dragged over it. */
export function DropTarget({ onFiles }: Props) {
  const isOver = useSignal(false)
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files') !== true) return
      event.preventDefault()
      isOver.value = true
    }
    const leave = (event: DragEvent) => {
      // Null if the pointer leaves the window, not an element.
      if (event.relatedTarget === null) isOver.value = false
    }
    const drop = (event: DragEvent) => {
      event.preventDefault()
      isOver.value = false
      onFiles([...(event.dataTransfer?.files ?? [])])
    }
    document.addEventListener('dragenter', over)
    document.addEventListener('dragover', over)
    document.addEventListener('dragleave', leave)
    document.addEventListener('drop', drop)
    return () => {
      document.removeEventListener('dragenter', over)
      document.removeEventListener('dragover', over)
      document.removeEventListener('dragleave', leave)
      document.removeEventListener('drop', drop)
    }
  }, [onFiles, isOver])
  if (!isOver.value) return null
  return (
    <p class="drop-hint" aria-hidden="true">
      Drop to open: a bundle, an ABI, compiler output
    </p>
  )
}
