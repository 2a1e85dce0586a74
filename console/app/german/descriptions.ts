/** The descriptions of fields in the OpenAPI document, with their translations. */
export const descriptions: Readonly<Record<string, string>> = {
  'Name: not empty, unique within the kind, case-sensitive, and at most 2,048 bytes in UTF-8.':
    'Name: nicht leer, unter gleichartigen Objekten eindeutig, mit Beachtung von Groß- und Kleinschreibung, höchstens 2.048 Bytes in UTF-8.',
  'A set of role attributes, by which policies select the entity. Attributes must not begin with # or @.':
    'Eine Menge von Rollenattributen, nach denen Richtlinien das Objekt auswählen. Attribute dürfen nicht mit # oder @ beginnen.',
  'An extension: the role attributes that have an end, by attribute; at most 100. Until its end, each is also in `roleAttributes`.':
    'Eine Erweiterung: die Rollenattribute mit einem Ende, nach Attribut; höchstens 100. Bis zu seinem Ende steht jedes auch in `roleAttributes`.',
  'The end of a role attribute, and the reason for the grant.': 'Das Ende eines Rollenattributs und der Grund, aus dem es vergeben wurde.',
  'Rights to parts of the management API, for an identity that is not an administrator.':
    'Rechte an Teilen der Management-API, für eine Identität, die kein Administrator ist.',
  'An extension: permissions that apply only to entities with certain role attributes, by name of the permission.':
    'Eine Erweiterung: Berechtigungen, die nur für Objekte mit bestimmten Rollenattributen gelten, nach dem Namen der Berechtigung.',
  'The entities to which a permission applies.': 'Die Objekte, für die eine Berechtigung gilt.',
  'A map of names to any JSON values.': 'Eine Zuordnung von Namen zu beliebigen JSON-Werten.',
  'Id of the service. Required: without it, the answer is 404.': 'ID des Dienstes. Erforderlich: Ohne sie ist die Antwort 404.',
  'Id of a certificate authority.': 'ID einer Zertifizierungsstelle.',
  'A map of user-defined names to text, booleans or null, and to numbers if the setting `numericTags` is on: at most 200 tags, with names of at most 256 and texts of at most 4096 characters, and at most 65536 bytes in total.':
    'Eine Zuordnung eigener Namen zu Text, Wahrheitswerten oder null und, wenn die Einstellung `numericTags` an ist, zu Zahlen: höchstens 200 Tags mit Namen von höchstens 256 und Texten von höchstens 4096 Zeichen, insgesamt höchstens 65536 Bytes.',
  'smartrouting, random, weighted, sticky': 'smartrouting, random, weighted, sticky',
  'A set of ids without duplicates.': 'Eine Menge von IDs ohne Wiederholungen.',
  'A set of `#attribute` and `@id`, or `#all` alone.': 'Eine Menge aus `#attribut` und `@id`, oder `#all` allein.',
  'A set of role attributes: texts that are not empty.': 'Eine Menge von Rollenattributen: Texte, die nicht leer sind.',
  'An operating system. Spellings that differ only in case and underscores denote the same system.':
    'Ein Betriebssystem. Schreibweisen, die sich nur in Groß- und Kleinschreibung und Unterstrichen unterscheiden, meinen dasselbe.',
  'A set of texts: duplicates are removed, and the texts are sorted by code point.':
    'Eine Menge von Texten: Wiederholungen werden entfernt, und die Texte werden nach Codepunkten sortiert.',
  'The certificate of the authority in PEM; others may follow it.':
    'Das Zertifikat der Zertifizierungsstelle als PEM; weitere können folgen.',
  'Text with the placeholders [caName], [caId], [commonName], [requestedName] and [identityId]; blank means [caName]-[commonName].':
    'Text mit den Platzhaltern [caName], [caId], [commonName], [requestedName] und [identityId]; leer bedeutet [caName]-[commonName].',
  'The part of the certificate that contains the values.': 'Der Teil des Zertifikats, der die Werte enthält.',
  'The values to use. `ALL`: all values; `PREFIX`, `SUFFIX`: values that begin or end with the criteria, which are removed; `SCHEME`: URIs with the scheme in the criteria.':
    'Die zu verwendenden Werte. `ALL`: alle; `PREFIX`, `SUFFIX`: Werte, die mit dem Kriterium beginnen oder enden, das entfernt wird; `SCHEME`: URIs mit dem Schema im Kriterium.',
  '`NONE`: use each value as it is. `SPLIT`: split each value at the separator in `parserCriteria`.':
    '`NONE`: jeden Wert verwenden, wie er ist. `SPLIT`: jeden Wert am Trennzeichen in `parserCriteria` teilen.',
  'Position of the external id among the resulting values, from 0.': 'Position der externen ID unter den sich ergebenden Werten, ab 0.',
  'The token of the provider that clients must send.': 'Das Token des Anbieters, das Clients senden müssen.',
  'The address of the JSON Web Key Set. Shown only to administrators, and only if the setting `showJwksEndpoints` is on.':
    'Die Adresse des JSON Web Key Set. Wird nur Administratoren angezeigt, und nur wenn die Einstellung `showJwksEndpoints` an ist.',
};
