import { Check } from '../../ui/field.tsx'
import { groupsOf } from '../channels/groups.ts'
import { useChannels } from '../channels/use-channels.ts'
import { usePlaceName } from '../channels/use-place-name.ts'
import styles from './series.module.css'
import { words } from './words.ts'

type SeriesChannelsProps = {
  /** Those that it has had, chosen or not. */
  known: readonly string[]
  chosen: readonly string[]
  onChange: (chosen: readonly string[]) => void
}

/** On which channels and groups a series is published. */
export function SeriesChannels({ known, chosen, onChange }: SeriesChannelsProps) {
  const { channels } = useChannels()
  const placeName = usePlaceName()
  const groups = groupsOf(channels).map(({ groupId }) => groupId)
  const enabled = channels.filter((one) => one.enabled).map(({ channelId }) => channelId)
  const places = [...new Set([...known, ...groups, ...enabled])]
  return (
    <fieldset className={styles.places}>
      <legend className="visually-hidden">{words.channels}</legend>
      {places.map((id) => (
        <Check
          key={id}
          label={placeName(id)}
          checked={chosen.includes(id)}
          onChange={(isOn) => onChange(isOn ? [...chosen, id] : chosen.filter((one) => one !== id))}
        />
      ))}
    </fieldset>
  )
}
