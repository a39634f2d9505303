import './remoteMode';

import '../support/engine';
import { keepInRemoteStore } from './remoteStore';
import { binaryModeSuite } from './suite';

beforeAll(async () => await keepInRemoteStore('s3'));

binaryModeSuite('in a remote store');
