import { FileButton } from '../frame/file-button.tsx'

/** Shown where a link leads to a bundle that was a file: the file is needed again. */
export function FileNeeded() {
  return (
    <>
      <h1>This view needs its bundle</h1>
      <p>
        The link names a view of a bundle that was opened from a file, and the bundle was too large
        for the link. Drop the same file on this page, or choose it: the view stays as the link has
        it.
      </p>
      <FileButton />
    </>
  )
}
