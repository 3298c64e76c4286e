import type { Command } from '../definition/definition.ts';
import { geoPlaces } from './places.ts';
import { geoSearching } from './search.ts';

export const geoCommands: readonly Command[] = [...geoPlaces, ...geoSearching];
