import type { Texts } from '../texts.ts';

const counted = (count: number): string => count.toLocaleString('de');

export const setupTexts: Texts['setup'] = {
  title: 'Assistenten',
  hint: 'Jeder Assistent fragt, was nötig ist, zeigt, was er ändern wird, und legt alles zusammen an.',
  steps: 'Schritte',
  next: 'Weiter',
  back: 'Zurück',
  done: 'Erledigt:',
  notYet: 'Noch nicht:',
  guided: 'Schritt für Schritt',
  guide: 'Anleitung lesen',
  ways: {
    'publish-service': {
      title: 'Dienst veröffentlichen',
      hint: 'Machen Sie eine Website, eine Datenbank oder einen anderen Server für ausgewählte Personen und Geräte erreichbar.',
    },
    'add-identity': {
      title: 'Person oder Gerät hinzufügen',
      hint: 'Legen Sie eine Identität an, und übergeben Sie das Token, mit dem sie dem Netzwerk beitritt.',
    },
    'add-router': {
      title: 'Router hinzufügen',
      hint: 'Legen Sie einen Edge-Router an, starten Sie ihn, und sehen Sie, wie er online geht.',
    },
    'connect-provider': {
      title: 'Identitätsanbieter anbinden',
      hint: 'Lassen Sie Personen sich mit den Konten anmelden, die sie schon haben.',
    },
    'trust-authority': {
      title: 'Zertifizierungsstelle vertrauen',
      hint: 'Akzeptieren Sie Zertifikate Ihrer eigenen Zertifizierungsstelle, sobald Sie nachgewiesen haben, dass Sie ihren Schlüssel besitzen.',
    },
  },
  labels: {
    ports: 'Ports',
    protocols: 'Protokoll',
    hostAddress: 'Adresse des Servers',
    hostPort: 'Port des Servers',
    edgeRouters: 'Edge-Router',
    kind: 'Wer ist es?',
    authPolicyId: 'Anmelderichtlinie: wie sich die Identität anmelden darf',
    isTunnelerEnabled: 'Er nutzt Dienste auch selbst und stellt sie bereit (Tunneler)',
    discovery: 'Discovery-Dokument',
    jwksEndpoint: 'Adresse seiner Schlüssel (JWKS)',
    externalAuthUrl: 'Adresse, an der sich Personen anmelden',
    claimsProperty: 'Claim, der die Person nennt',
    useExternalId: 'Der Claim enthält die externe ID einer Identität',
    enrollToTokenEnabled: 'Wer ein akzeptiertes Token hat, wird zur Identität',
    enrollNameClaimsSelector: 'Claim mit dem Namen einer neuen Identität',
    certPem: 'Zertifikat der Zertifizierungsstelle',
    isAuthEnabled: 'Mit ihren Zertifikaten anmelden',
    isOttCaEnrollmentEnabled: 'Mit einem Einmal-Token und einem ihrer Zertifikate registrieren',
    isAutoCaEnrollmentEnabled: 'Allein mit einem ihrer Zertifikate registrieren',
    identityRoles: 'Rollenattribute derer, die sich ohne Token registrieren',
    proof: 'Zertifikat, das es nachweist',
  },
  fieldHints: {
    addresses:
      'Clients geben eine davon ein, um den Dienst zu erreichen: Hostnamen, auch mit einem Platzhalter wie *.example.com, oder IP-Adressen.',
    ports: 'Ein Port oder ein Bereich wie 8000-8100.',
    protocols: 'Websites und die meisten anderen Server verwenden TCP.',
    hostAddress: 'Wo der Server läuft, aus Sicht dessen, der den Dienst bereitstellt: localhost, ein Name oder eine IP-Adresse.',
    hostPort: 'Lassen Sie es leer, wenn der Server an den Ports lauscht, die Clients eingeben.',
    username: 'Der Name, mit dem sich die Person anmeldet. Leer: der Name oben.',
    discovery:
      'Der Controller liest es beim Aussteller und trägt die Adressen des nächsten Schritts ein. Erreicht er den Aussteller nicht, fügen Sie das Dokument hier ein.',
    proof: 'Fügen Sie proof.pem ein, das die Befehle oben erzeugen.',
  },
  publish: {
    action: 'Veröffentlichen',
    intercept: (name) => `${name} intercept`,
    host: (name) => `${name} host`,
    bind: (name) => `${name} bind`,
    dial: (name) => `${name} dial`,
    routers: (name) => `${name} routers`,
    noPorts: (line) => `„${line}“ ist weder ein Port von 1 bis 65535 noch ein Bereich wie 8000-8100`,
    taken: (name) => `„${name}“ gibt es schon. Wählen Sie einen anderen Namen.`,
    notCreated: (kind, name, reason) => `${kind} „${name}“ kann nicht angelegt werden: ${reason}`,
    nobody: { hostedBy: 'Wählen Sie, wer den Dienst bereitstellt', usedBy: 'Wählen Sie, wer den Dienst nutzt' },
    samePort: 'Der Port, den Clients eingeben',
    noTypes: 'Die Konfigurationstypen intercept.v1 und host.v1 fehlen',
    tunnelers: 'Diese Edge-Router können ihn bereitstellen:',
    steps: {
      address: { title: 'Adresse', hint: 'Clients senden in das Netzwerk, was an diese Adresse und diese Ports geht.' },
      host: {
        title: 'Server',
        hint: 'Ein Programm neben dem Server oder ein Edge-Router in seiner Nähe stellt den Dienst bereit: Es verbindet sich mit dem Server.',
      },
      users: {
        title: 'Nutzer',
        hint: 'Wählen Sie nach Rollenattribut, etwa #staff, damit auch Personen dazugehören, die es später erhalten, oder nach Namen.',
      },
      routers: {
        title: 'Router',
        hint: 'Datenverkehr läuft über Edge-Router, und Richtlinien bestimmen, welche davon verwendet werden dürfen.',
      },
      review: { title: 'Prüfen', hint: 'Dies wird zusammen angelegt: alles, oder nichts, wenn ein Teil abgelehnt wird.' },
    },
    coverage: {
      noRouters: 'Es gibt noch keinen Edge-Router. Der Dienst ist nutzbar, sobald einer online ist.',
      addRouter: 'Router hinzufügen',
      routers: (online, total) => `${counted(online)} von ${counted(total)} Edge-Routern sind online.`,
      covered:
        'Bestehende Richtlinien geben denen, die den Dienst bereitstellen und nutzen, Edge-Router und lassen Edge-Router ihn übertragen.',
      without: (count) =>
        count === 1
          ? 'Ein Eintrag bei Bereitstellung und Nutzung hat noch keinen Edge-Router.'
          : `${counted(count)} Einträge bei Bereitstellung und Nutzung haben noch keinen Edge-Router.`,
      uncarried: 'Keine Richtlinie lässt Edge-Router jeden Dienst übertragen.',
      missing: 'Wählen Sie Edge-Router, dann werden die fehlenden Richtlinien mit dem Dienst angelegt. Ohne Auswahl wird keine angelegt.',
    },
    published: (name) => `${name} ist veröffentlicht`,
    status: {
      created: 'Der Dienst und seine Richtlinien sind angelegt',
      hosted: 'Ein Host bietet ihn an',
      router: 'Ein Edge-Router ist online',
    },
    open: 'Dienst öffnen',
    access: 'Sehen, wer ihn erreicht',
    another: 'Weiteren Dienst veröffentlichen',
  },
  identity: {
    action: 'Anlegen',
    username: 'Der Benutzername',
    kinds: { person: 'Eine Person mit Benutzername und Passwort', device: 'Eine Person oder ein Gerät mit einem Einmal-Token' },
    steps: {
      who: { title: 'Identität', hint: 'Eine Identität ist eine Person, ein Gerät oder ein Programm im Netzwerk.' },
      access: {
        title: 'Zugriff',
        hint: 'Richtlinien wählen Identitäten nach Rollenattributen aus. Wählen Sie die, mit denen diese Identität die nötigen Dienste erhält.',
      },
    },
    created: (name) => `${name} wurde angelegt`,
    status: { created: 'Sie ist angelegt', enrolled: 'Sie hat sich registriert', online: 'Sie ist online' },
    open: 'Identität öffnen',
    another: 'Weitere Person oder weiteres Gerät hinzufügen',
  },
  router: {
    action: 'Anlegen',
    steps: {
      router: {
        title: 'Router',
        hint: 'Ein Edge-Router überträgt den Datenverkehr zwischen Clients und Hosts. Geben Sie ihm den Namen seines Rechners.',
      },
    },
    created: (name) => `${name} wurde angelegt`,
    status: { created: 'Er ist angelegt', enrolled: 'Er hat sich registriert', online: 'Er ist online' },
    open: 'Router öffnen',
    another: 'Weiteren Router hinzufügen',
    enroll: 'Router starten',
    enrollHint: 'Speichern Sie das Token auf dem Rechner des Routers, und führen Sie die Zeilen unten aus. Das Token gilt einmal.',
    address: 'Adresse des Routers',
    addressHint: 'Der Name oder die IP-Adresse, unter der Clients und andere Router ihn erreichen. Sie vervollständigt die Zeilen unten.',
    platform: 'Wo er läuft',
    platforms: { linux: 'Linux', container: 'Container', kubernetes: 'Kubernetes' },
    lines: 'Auszuführende Zeilen',
  },
  provider: {
    action: 'Anbinden',
    steps: {
      provider: { title: 'Anbieter', hint: 'Alles, was OpenID-Connect-Token signiert, kann Identitätsanbieter sein.' },
      tokens: {
        title: 'Token',
        hint: 'Nur Token dieses Ausstellers, für diesen Empfänger und mit einem seiner Schlüssel signiert, werden akzeptiert.',
      },
      people: { title: 'Personen', hint: 'Ein Claim des Tokens sagt, wem es gehört.' },
    },
    discoveryLink: 'Discovery-Dokument dieses Ausstellers in einem neuen Tab öffnen',
    noDiscovery: 'Das Discovery-Dokument ist nicht das JSON eines OpenID-Anbieters',
    otherIssuer: (issuer) => `Das Discovery-Dokument gehört einem anderen Aussteller: ${issuer}`,
    created: (name) => `${name} ist angebunden`,
    status: {
      created: 'Der Identitätsanbieter ist angelegt und aktiviert',
      policy: (name) => `Die Anmelderichtlinie ${name} akzeptiert seine Token`,
    },
    policyTodo: 'Erlauben Sie Token dieses Identitätsanbieters in der Anmelderichtlinie der Identitäten.',
    open: 'Identitätsanbieter öffnen',
    policies: 'Anmelderichtlinien öffnen',
  },
  authority: {
    action: 'Hochladen',
    steps: {
      certificate: { title: 'Zertifikat', hint: 'Das Zertifikat der Zertifizierungsstelle, nicht eines, das sie ausgestellt hat.' },
      uses: { title: 'Verwendung', hint: 'Wählen Sie, wofür ihre Zertifikate akzeptiert werden. Sie können das später ändern.' },
    },
    created: (name) => `${name} wurde hochgeladen`,
    status: { created: 'Das Zertifikat ist gespeichert', verified: 'Sie haben nachgewiesen, dass Sie ihren Schlüssel besitzen' },
    prove: 'Nachweisen, dass Sie ihren Schlüssel besitzen',
    proveHint:
      'Bis dahin wird ihr nicht vertraut. Stellen Sie ein Zertifikat aus, dessen Common Name dieses Prüf-Token ist. Führen Sie diese Zeilen neben dem Zertifikat (ca.pem) und dem Schlüssel (ca.key) der Zertifizierungsstelle aus:',
    verify: 'Bestätigen',
    open: 'Zertifizierungsstelle öffnen',
  },
  first: {
    title: 'Erste Schritte',
    dismiss: 'Erste Schritte ausblenden',
    steps: {
      router: 'Ein Router ist online',
      identity: 'Eine Person oder ein Gerät ist registriert',
      service: 'Ein Dienst ist veröffentlicht',
      policy: 'Eine Richtlinie lässt jemanden einen Dienst erreichen',
    },
  },
};
