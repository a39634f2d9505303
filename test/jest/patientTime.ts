import { setClock } from '../../client/async/clock';
import { patientClock } from '../support/patientClock';

/* For every suite: a short delay of the machine does not exceed a time limit. */
setClock(patientClock);
