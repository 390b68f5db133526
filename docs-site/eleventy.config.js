import { buildSite } from './build-site.ts'

/** @param {object} eleventy */
export default function configure(eleventy) {
  return buildSite(eleventy)
}
