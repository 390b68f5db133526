import { createElement, type SVGProps } from 'react'

/** An icon in the color of the text around it, 24 pixels wide unless `size` says otherwise; hidden from screen readers without a label. */
export type Icon = (props: SVGProps<SVGSVGElement> & { size?: number }) => React.JSX.Element

/** An element of an icon: its name, its attributes as React calls them, and the elements in it. */
export type Shape = readonly [name: string, attributes: Readonly<Record<string, string>>, ...inner: Shape[]]

/** Makes an icon of the shapes inside its `svg` element, as the build puts them in. */
export function icon(...shapes: Shape[]): Icon {
  return ({ size = 24, ...rest }) => (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      aria-hidden={rest['aria-label'] === undefined}
      {...rest}
    >
      {shapes.map(draw)}
    </svg>
  )
}

function draw([name, attributes, ...inner]: Shape, key: number): React.JSX.Element {
  return createElement(name, { key, ...attributes }, ...inner.map(draw))
}
