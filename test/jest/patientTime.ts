import { setClock } from '../../client/clock';
import { patientClock } from '../support/patientClock';

/* For every suite: a machine that is slow for a moment lets no limit run out. */
setClock(patientClock);
